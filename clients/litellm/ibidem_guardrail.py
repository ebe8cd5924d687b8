"""A guardrail for LiteLLM's proxy: holds each sentence of a reply against the documents in Ibidem.

It needs the package of clients/python. docs/how_to/check_other_answers.md shows the settings.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.guardrails import GuardrailEventHooks

from ibidem import CheckedText, Ibidem, Limits, check_text, passages_named, rendered, verdicts_by

WAYS = ("mark", "remove", "block")
AGAINST = ("documents", "texts")


def _of(thing: Any, name: str) -> Any:
    """A field of a reply, which LiteLLM holds as an object or as a dictionary."""
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def _set(thing: Any, name: str, value: str) -> None:
    if isinstance(thing, dict):
        thing[name] = value
    else:
        setattr(thing, name, value)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _texts(holder: Any, name: str) -> Iterator[tuple[Any, str]]:
    """Where the field `name` holds text: in itself, or in its parts."""
    if isinstance(_of(holder, name), str):
        yield holder, name
    for part in _list(_of(holder, name)):
        if isinstance(_of(part, "text"), str):
            yield part, "text"


def texts_of(reply: Any) -> Iterator[tuple[Any, str]]:
    """Where a whole reply holds text: of chats, completions, the Responses API and Anthropic's messages."""
    for choice in _list(_of(reply, "choices")):
        yield from _texts(_of(choice, "message"), "content")
        yield from _texts(choice, "text")
    for item in _list(_of(reply, "output")):
        if _of(item, "type") == "message":
            yield from _texts(item, "content")
    if _of(reply, "role") == "assistant":
        yield from _texts(reply, "content")


class IbidemGuardrail(CustomGuardrail):
    """`against` says what counts where tools named no passages of Ibidem: its `documents`, or the `texts` that the tools
    returned. `on_unsupported` says what happens with a sentence that is not borne out: `mark`, `remove` it, or `block`
    the reply. With `fail_closed`, what could not be checked is removed, or the reply blocked."""

    # A rewritten stream needs the hooks below. LiteLLM's common path checks streams but drops what was rewritten.
    use_native_lifecycle_hooks = True

    def __init__(
        self, api_base: str | None = None, api_key: str | None = None, collections: list[str] | None = None,
        on_unsupported: str = "mark", fail_closed: bool = True, language: str = "en", seconds: float = 30.0,
        sentences: int = 40, parallel: int = 4, against: str = "documents", **kwargs: Any,
    ) -> None:  # fmt: skip
        if on_unsupported not in WAYS:
            raise ValueError(f"on_unsupported must be one of {', '.join(WAYS)}")
        if against not in AGAINST:
            raise ValueError(f"against must be one of {', '.join(AGAINST)}")
        self._ibidem = Ibidem(api_base or os.environ.get("IBIDEM_URL", ""), api_key or os.environ.get("IBIDEM_KEY", ""))
        self.collections = [collections] if isinstance(collections, str) else collections or []
        # Only a plain `false` lets through what could not be checked.
        self.on_unsupported, self.fail_closed, self.language = on_unsupported, fail_closed is not False, language
        self.against = against
        self.limits = Limits(seconds=float(seconds), sentences=int(sentences), parallel=int(parallel))
        kwargs.setdefault("supported_event_hooks", [GuardrailEventHooks.post_call])
        super().__init__(**kwargs)

    async def async_post_call_success_hook(self, data: dict, user_api_key_dict: Any, response: Any) -> Any:
        """Checks a whole reply and writes it again."""
        deadline = time.monotonic() + self.limits.seconds
        for holder, name in list(texts_of(response)):
            _set(holder, name, await self._checked(_of(holder, name), data, deadline))
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict
    ) -> AsyncIterator[Any]:
        """Holds a stream back until it has ended, and lets it go with the text that was checked."""
        chunks = [chunk async for chunk in response]
        held: dict[tuple[int, str], list[tuple[Any, str]]] = {}
        is_known = True
        for chunk in chunks:
            choices = _of(chunk, "choices")
            is_known = is_known and isinstance(choices, (list, tuple))
            for choice in _list(choices):
                delta = _of(choice, "delta")
                for holder, name in ((delta, "content"), (choice, "text")):
                    if isinstance(_of(holder, name), str) and _of(holder, name):
                        held.setdefault((_of(choice, "index") or 0, name), []).append((holder, name))
        if not is_known and (self.fail_closed or self.on_unsupported == "block"):
            raise self._blocked("Streams of this endpoint cannot be checked. Ask without a stream.")
        deadline = time.monotonic() + self.limits.seconds
        for places in held.values():
            text = await self._checked("".join(_of(*place) for place in places), request_data, deadline)
            for position, (holder, name) in enumerate(places):
                _set(holder, name, "" if position else text)
        for chunk in chunks:
            yield chunk

    async def _checked(self, text: str, request: Any, deadline: float) -> str:
        if not text.strip():
            return text
        # What tools returned in this conversation, Ibidem's own search for example, may name passages.
        messages = [message for message in _list(_of(request, "messages")) if _of(message, "role") in ("tool", "function")]
        named = passages_named(messages)
        # The newest first. A text that a tool returned may repeat what the model, or whoever asks, put into it.
        texts = [_of(*place) for message in reversed(messages) for place in _texts(message, "content")]
        brought = [one for one in texts if one.strip()] if self.against == "texts" and not named else []
        verdict_of = verdicts_by(self._ibidem, named, self.collections, brought)
        left = max(0.0, deadline - time.monotonic())
        limits = Limits(left, self.limits.sentences, self.limits.characters, self.limits.parallel)
        checked = await asyncio.to_thread(check_text, verdict_of, text, limits)
        if self.on_unsupported == "block":
            self._block(checked, "sources" if brought else "documents")
        remove = self.on_unsupported != "mark"
        return rendered(checked, remove=remove, fail_closed=self.fail_closed, language=self.language, of_texts=bool(brought))

    def _block(self, checked: CheckedText, what: str) -> None:
        unsupported, unchecked = checked.count("contradicted", "unsupported"), checked.count("unchecked")
        if unsupported:
            raise self._blocked(f"The {what} do not bear out {unsupported} of {checked.count()} sentences.")
        if unchecked and self.fail_closed:
            raise self._blocked(f"{unchecked} of {checked.count()} sentences could not be checked by Ibidem.")

    def _blocked(self, message: str) -> GuardrailRaisedException:
        return GuardrailRaisedException(guardrail_name=self.guardrail_name, message=message)
