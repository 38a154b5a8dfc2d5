"""The form of what the value rests on, read and checked."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ConfigDict, ValidationError, field_validator, model_validator

from functions.adapters.postgres.analytics_settings import RoiSettings
from functions.analytics.api import SettingsBody

NAMES = {
    "minutes_low": "Minutes, at least",
    "minutes": "Minutes, usually",
    "minutes_high": "Minutes, at most",
    "hourly_rate": "Hourly rate",
    "currency": "Currency",
    "survey_hours_before": "Hours a week before",
    "survey_hours_after": "Hours a week after",
    "survey_note": "Note on the survey",
    "time_zone": "Time zone",
}


class _Form(SettingsBody):
    """As a browser posts it: an empty field is none, and there are fields of the form itself."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    @field_validator("hourly_rate", "survey_hours_before", "survey_hours_after", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if value == "" else value

    @model_validator(mode="after")
    def _in_order(self) -> _Form:
        if not self.minutes_low <= self.minutes <= self.minutes_high:
            raise ValueError("The usual minutes lie between the fewest and the most")
        return self


def read_settings_form(form: Mapping[str, str]) -> tuple[RoiSettings | None, tuple[str, ...]]:
    """The settings, or None and a sentence for each field that is wrong."""
    try:
        read = _Form.model_validate({name: value.strip() for name, value in form.items()})
    except ValidationError as error:
        return None, tuple(
            f"{NAMES.get(str(each['loc'][0]), '')}: {each['msg']}."
            if each["loc"]
            else each["msg"].removeprefix("Value error, ") + "."
            for each in error.errors()
        )
    return RoiSettings(**read.model_dump()), ()
