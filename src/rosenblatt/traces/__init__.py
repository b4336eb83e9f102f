"""The replayable record of a run."""

from rosenblatt.traces.claims import Claims
from rosenblatt.traces.kernel_record import KernelStep, KernelTrace
from rosenblatt.traces.looks import Cycle
from rosenblatt.traces.record import Step, Trace
from rosenblatt.traces.tracing import trace

__all__ = ["Claims", "Cycle", "KernelStep", "KernelTrace", "Step", "Trace", "trace"]
