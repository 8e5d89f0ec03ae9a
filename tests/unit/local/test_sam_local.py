"""`make test-sam` where it cannot run."""

import platform

import pytest

from tests import sam_local


def test_a_machine_whose_network_containers_do_not_share_is_told_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")

    status = sam_local.main()

    assert status == 1
    assert "only on Linux" in capsys.readouterr().err
