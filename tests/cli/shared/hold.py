"""Holds a ledger as a process that books does:  hold.py LEDGER SECONDS"""
import sqlite3
import sys
import time

connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
time.sleep(float(sys.argv[2]))
connection.execute("ROLLBACK")
