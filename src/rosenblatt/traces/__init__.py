"""Traces: record every step of a run, store it, and replay it."""

from rosenblatt.traces.claims import Claims
from rosenblatt.traces.kernel_trace import KernelStep, KernelTrace
from rosenblatt.traces.linear_trace import Step, Trace
from rosenblatt.traces.step_sequence import Cycle
from rosenblatt.traces.tracing import trace

__all__ = ["Claims", "Cycle", "KernelStep", "KernelTrace", "Step", "Trace", "trace"]
