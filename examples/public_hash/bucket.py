"""The bucket of a text in a hashed column of a model that was exported as ONNX, without tacet: FNV-1a
over the bytes, then the finaliser of SplitMix64, of which the leading bits count.

    python3 bucket.py 16 text...

For a crossed column hash each value with its length in bytes before it: 3:low3:fri.
"""

import sys


def bucket(text, bits):
    mask, value = 2 ** 64 - 1, 0xcbf29ce484222325
    for byte in text.encode("utf-8"):
        value = (value ^ byte) * 0x100000001b3 & mask
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & mask
    value = (value ^ value >> 27) * 0x94d049bb133111eb & mask
    return (value ^ value >> 31) >> 64 - bits


if __name__ == "__main__":
    for word in sys.argv[2:]:
        print(bucket(word, int(sys.argv[1])))
