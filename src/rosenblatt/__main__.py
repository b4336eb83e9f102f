"""`python -m rosenblatt` is `rosenblatt`."""

from rosenblatt.cli.main import main

if __name__ == "__main__":
    main()
