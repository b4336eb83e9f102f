"""The replayable record of a run."""

from rosenblatt.sight.traces.claims import Claims
from rosenblatt.sight.traces.kernel_trace import KernelStep, KernelTrace
from rosenblatt.sight.traces.linear_trace import Step, Trace
from rosenblatt.sight.traces.step_sequence import Cycle
from rosenblatt.sight.traces.tracing import trace

__all__ = ["Claims", "Cycle", "KernelStep", "KernelTrace", "Step", "Trace", "trace"]
