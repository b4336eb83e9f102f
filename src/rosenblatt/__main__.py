"""`python -m rosenblatt` is `rosenblatt`."""

from rosenblatt.cli.main import run

if __name__ == "__main__":
    run()
