/* The bucket of a text in a hashed column of a model that was exported as ONNX: FNV-1a over the
   bytes, then the finaliser of SplitMix64, of which the leading bits count.

       cc -std=c99 -O2 bucket.c -o bucket && ./bucket 16 text...

   For a crossed column hash each value with its length in bytes before it: 3:low3:fri. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t bucket(const char *text, int bits)
{
  uint64_t value = UINT64_C(0xcbf29ce484222325);
  for (; *text; ++text) value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
  return (value ^ value >> 31) >> (64 - bits);
}

int main(int count, char **words)
{
  int k;
  for (k = 2; k < count; ++k) printf("%llu\n", (unsigned long long)bucket(words[k], atoi(words[1])));
  return 0;
}
