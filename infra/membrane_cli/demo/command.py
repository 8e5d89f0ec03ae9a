"""`membrane demo`."""

import argparse

from membrane_cli.parser import Parser


def add_options(parser: Parser) -> None:
    parser.show("membrane demo")
    parser.set_defaults(run=_demo)


def _demo(_: argparse.Namespace) -> None:
    """Screen after screen; raises DemoError where an answer is not right."""
    from rich.console import Console  # noqa: PLC0415 - help needs none of these

    from membrane_cli.demo.bill import show_bill  # noqa: PLC0415
    from membrane_cli.demo.connections import show_connections  # noqa: PLC0415
    from membrane_cli.demo.correction import show_correction, show_other_tenant  # noqa: PLC0415
    from membrane_cli.demo.forgetting import show_forgetting  # noqa: PLC0415
    from membrane_cli.demo.sessions import (  # noqa: PLC0415
        show_first_session,
        show_second_session,
    )
    from membrane_cli.demo.stage import running_stage  # noqa: PLC0415
    from membrane_cli.demo.studying import show_study  # noqa: PLC0415

    with running_stage(Console()) as stage:
        reported = show_first_session(stage)
        show_second_session(stage, reported)
        corrected = show_correction(stage, reported)
        show_other_tenant(stage, corrected)
        show_connections(stage)
        show_study(stage)
        show_forgetting(stage, reported)
        show_bill(stage)
