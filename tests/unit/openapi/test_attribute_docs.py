"""Descriptions come from the docstrings below attributes, whatever kind of class has them."""

from dataclasses import dataclass
from typing import NotRequired

from pydantic import BaseModel
from typing_extensions import TypedDict

from membrane_openapi.schemas import attribute_docs


class Shape(TypedDict):
    color: NotRequired[str]
    """A name of CSS."""


class Circle(Shape):
    """A round shape."""

    radius: float
    """Millimetres,
    rounded."""
    filled: bool


@dataclass(frozen=True, slots=True)
class Point:
    x: int = 0
    """Pixels from the left."""


class Person(BaseModel):
    name: str
    """As the person signs."""


class Author(Person):
    name: str
    """As the book says."""


def test_a_typed_dict_has_the_descriptions_of_its_bases_too() -> None:
    assert attribute_docs(Circle) == {
        "color": "A name of CSS.",
        "radius": "Millimetres,\nrounded.",
    }


def test_a_dataclass_with_slots_is_described() -> None:
    assert attribute_docs(Point) == {"x": "Pixels from the left."}


def test_a_class_overrides_the_description_of_a_base() -> None:
    assert attribute_docs(Author)["name"] == "As the book says."
