"""What a profiled run leaves behind: how much it wrote, and how long a report of it takes."""
from measure import bytes_under, seconds_of
from variants import outputs, segments


def add_products(done, variant, command, scratch):
    """Adds to a Measurement the bytes that the run wrote, and the seconds to a report: what the profiler went on working
    after the program's end, and the command that prints a report. Returns it."""
    done.written = bytes_under(outputs(scratch), segments(scratch))
    report = variant.report(command, scratch)
    if report:
        seconds = seconds_of(report)
        done.report = None if seconds is None else done.after + seconds
    return done
