"""A time limit for what must end: no test waits so long unless something hangs.

Other programs slow the tests down, and so does the first use of a loop, which compiles it: what takes
milliseconds may take many seconds. Therefore tests measure the processor time of their thread, not the
time on the wall, and give whatever must end this much time.
"""

HANGS = 200.0  # seconds
