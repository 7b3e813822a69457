// The bucket of a text in a hashed column of a model that was exported as ONNX: FNV-1a over the
// bytes, then the finaliser of SplitMix64, of which the leading bits count.
//
//     node bucket.js 16 text...
//
// For a crossed column hash each value with its length in bytes before it: 3:low3:fri.
function bucket(text, bits) {
  const low64 = (value) => BigInt.asUintN(64, value);
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    value = low64((value ^ BigInt(byte)) * 0x100000001b3n);
  }
  value = low64((value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n);
  value = low64((value ^ (value >> 27n)) * 0x94d049bb133111ebn);
  return (value ^ (value >> 31n)) >> BigInt(64 - bits);
}

for (const word of process.argv.slice(3)) {
  console.log(String(bucket(word, Number(process.argv[2]))));
}
