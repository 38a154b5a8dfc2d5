"""Answers one question in any mode: admission, context, answer, record.

`AnswerService` runs the steps. What differs between the modes (what may be searched, what the
context is) is an `Attempt`, created for each question.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar, cast

from pydantic import BaseModel

from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.openai.moderation import Moderator
from functions.adapters.openai.spending import Spending, counted_spending
from functions.adapters.postgres.admission import Begun
from functions.adapters.postgres.deferred_records import Deferred, TakenRecords
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords
from functions.adapters.reader.http_reader import HttpReader
from functions.answer.chain import answer_from
from functions.answer.context import Context, Mode
from functions.answer.deadline import Deadline
from functions.answer.moderation.misconduct import Misconduct, find_misconduct
from functions.answer.reader import ReaderFailed, read_context
from functions.lifecycle.attempt import Attempt, Basis
from functions.lifecycle.begin_finish import Asked, Caller, begin, begin_concurrently, finish
from functions.lifecycle.choose_writer import Writers
from functions.lifecycle.circuit_breakers import GuardedReader, Part, PartCalls, guard, guard_judge
from functions.lifecycle.moderate import moderate, record_of_misconduct
from functions.lifecycle.not_served import NothingCanAnswer, NotServed
from functions.lifecycle.offline import LocalState
from functions.lifecycle.reply import (
    QueueTicket,
    Reply,
    answer_fields,
    answered,
    spending_fields,
)
from functions.lifecycle.tickets import Kind
from functions.runtime.logs import logger
from functions.runtime.settings import Settings

POLL_MS = 10_000
NOT_DEFERRED_RETRY_S = 30

A = TypeVar("A", bound=Asked)
R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class AnswerService(Generic[A, R]):
    """Answers questions of one mode. `calls` are the external services it may call."""

    calls: ClassVar[tuple[Part, ...]]
    request_type: ClassVar[type[BaseModel]]
    response_type: ClassVar[type[BaseModel]]

    settings: Settings
    records: QueryRecords
    embeddings: Embeddings
    writers: Writers
    moderator: Moderator | None = None
    reader: HttpReader | None = None
    local_state: LocalState = field(default_factory=LocalState)

    async def attempt(self, asked: A, calls: PartCalls, deadline: Deadline) -> Attempt:
        """Start an attempt. Raises NotServed and NothingCanAnswer."""
        raise NotImplementedError

    def respond(self, reply: Reply) -> R:
        """The response of the route."""
        raise NotImplementedError

    def repeat(self, cached: Mapping[str, Any], reply: Reply) -> R:
        """The response for a cached answer."""
        raise NotImplementedError

    async def answer(self, asked: A, caller: Caller) -> R:
        """Answer one question, or defer it while no service can answer. Raises only NotServed."""
        try:
            return await self._answer_counted(asked, caller)
        except NothingCanAnswer as unavailable:
            begun = unavailable.begun or await begin(
                self.records, self.local_state, asked, caller, ""
            )
            return await self._defer(asked, caller, begun)

    async def answer_deferred(self, deferred: Deferred, seconds: float) -> None:
        """Answer a deferred query within `seconds` and record it.

        Raises NothingCanAnswer, NotServed, and ValidationError for a request stored by a version
        with another schema.
        """
        asked = cast(A, self.request_type.model_validate(deferred.request))
        service = replace(
            self,
            records=TakenRecords(self.records, deferred.begun),
            settings=self.settings.model_copy(update={"request_seconds": seconds}),
        )
        await service._answer_counted(asked, Caller())

    def give_up(self, deferred: Deferred) -> QueryRecord:
        """The record of a deferred query that has expired or cannot be answered."""
        request = deferred.request
        reply = Reply(
            query_id=deferred.query_id,
            session_id=str(request.get("session_id", "")),
            mode=cast(Mode, deferred.mode),
            refusal="unavailable",
        )
        return QueryRecord.of_response(
            self.respond(reply).model_dump(mode="json"),
            question=str(request.get("question", "")),
        )

    async def close(self) -> None:
        """Close every connection."""
        await self.records.close()
        await self.embeddings.close()
        await self.writers.close()
        for each in (self.moderator, self.reader):
            if each is not None:
                await each.close()

    async def _answer_counted(self, asked: A, caller: Caller) -> R:
        with counted_spending(self.writers.prices) as spending:
            deadline = Deadline.after(self.settings.request_seconds)
            calls = PartCalls(self.local_state.breakers)
            attempt = await self.attempt(asked, calls, deadline)
            try:
                run = _Run(self, asked, caller, attempt, calls, deadline, spending)
                return await run.execute()
            finally:
                await attempt.close()

    async def _defer(self, asked: A, caller: Caller, begun: Begun) -> R:
        query_id = begun.query_id
        self.local_state.limits.end(query_id)
        request = asked.model_dump(mode="json", exclude_none=True)
        is_stored = await self.local_state.defer(
            query_id, asked.answered_mode, asked.session_id, caller.user_id, request
        )
        if not is_stored:
            raise NotServed("unavailable", NOT_DEFERRED_RETRY_S)
        return self.respond(self._waiting(asked, replace(begun, verdict="deferred")))

    def _waiting(self, asked: A, begun: Begun) -> Reply:
        """The reply with a ticket: for a place in the queue, or for a deferred query."""
        is_deferred = begun.verdict == "deferred"
        kind: Kind = "deferred" if is_deferred else "queued"
        query_id = begun.query_id if is_deferred else begun.ticket or begun.query_id
        ticket = QueueTicket(
            id=self.local_state.tickets.sign(query_id, kind, self.local_state.now()),
            position=0 if is_deferred else begun.position,
            eta_s=self.local_state.retry_s if is_deferred else begun.eta_s,
            poll_after_ms=POLL_MS if is_deferred else begun.poll_after_ms or 1000,
        )
        return Reply(
            query_id=begun.query_id,
            session_id=asked.session_id,
            mode=asked.answered_mode,
            status=kind,
            ticket=ticket,
        )


@dataclass
class _Run(Generic[A, R]):
    """One pass of a question through a service, from admission to record."""

    service: AnswerService[A, R]
    asked: A
    caller: Caller
    attempt: Attempt
    calls: PartCalls
    deadline: Deadline
    spending: Spending
    started: float = field(default_factory=time.perf_counter)

    async def execute(self) -> R:
        service, attempt = self.service, self.attempt
        begun, misconduct = await self._begin()
        reply = Reply(
            query_id=begun.query_id,
            session_id=self.asked.session_id,
            mode=self.asked.answered_mode,
        )
        if begun.verdict == "done" and begun.done:
            return cast(R, service.response_type.model_validate(begun.done))
        if begun.verdict != "run":
            return service.respond(service._waiting(self.asked, begun))
        if misconduct:
            reply = replace(
                reply,
                refusal="inappropriate",
                metadata={"content_version": begun.content_version},
            )
            return await self._finish(
                begun, service.respond(reply), record_of_misconduct(misconduct)
            )
        await attempt.embed_late(begun)
        attempt.timings["begin_and_embed"] = self._elapsed_ms()
        basis = await attempt.gather(begun)
        if begun.cached and basis.is_cached:
            response = service.repeat(begun.cached, attempt.complete(reply, None))
            confidence = begun.cached["metadata"].get("confidence")
            fields = {"cached": True, "confidence": confidence, **(begun.cached_search or {})}
            return await self._finish(begun, response, attempt.request_fields() | fields)
        return await self._write(begun, basis, reply)

    async def _begin(self) -> tuple[Begun, Misconduct | None]:
        service, asked, attempt = self.service, self.asked, self.attempt
        admission = begin(
            service.records, service.local_state, asked, self.caller,
            attempt.question_key, attempt.cache_key, service.calls,
        )  # fmt: skip
        if misconduct := find_misconduct(asked.question):
            self.calls.begun = await admission
            return self.calls.begun, misconduct
        attempt.start()
        begun, _, objection = await begin_concurrently(
            admission,
            attempt.embed_early,
            partial(moderate, service.moderator, asked.question, self.deadline),
            self.calls,
            likely=service.local_state.expects_admission(asked.ticket),
        )
        return begun, objection

    async def _write(self, begun: Begun, basis: Basis, reply: Reply) -> R:
        service, attempt = self.service, self.attempt
        chosen = service.writers.choose(begun)
        context, reader_failed = await self._read(basis)
        answer = attempt.review(
            basis.answer
            or await answer_from(
                basis.question,
                context,
                attempt.writer(guard(chosen.writer, self.calls)),
                basis.calibration,
                basis.scope,
                self.deadline,
                guard_judge(chosen.judge, self.calls),
            )
        )
        reply = attempt.complete(answered(reply, answer, begun, attempt.timings), answer)
        fields = {
            **attempt.request_fields(),
            **answer_fields(answer, context, chosen.model),
            **spending_fields(self.spending),
            **attempt.answer_fields(answer),
            "timings": reply.metadata["timings_ms"],
            "parts": self.calls.outcomes,
        }
        if reader_failed:
            fields["cacheable"] = False
        return await self._finish(begun, service.respond(reply), fields)

    async def _read(self, basis: Basis) -> tuple[Context, bool]:
        """The context as the reader read it, and whether the reader failed."""
        reader, context = self.service.reader, basis.context
        if reader is None or basis.answer is not None:
            return context, False
        started = time.perf_counter()
        guarded = GuardedReader(reader, self.calls)
        try:
            context = await read_context(basis.question, context, guarded, self.deadline)
        except ReaderFailed as failure:
            logger().error("context not read", detail=str(failure))
            return context, True
        self.attempt.timings["read"] = round((time.perf_counter() - started) * 1000, 2)
        return context, False

    async def _finish(self, begun: Begun, response: R, fields: dict[str, Any]) -> R:
        record = QueryRecord.of_response(
            response.model_dump(mode="json"),
            user_id=self.caller.user_id,
            question=self.asked.question,
            question_hash=self.attempt.question_key,
            content_version=begun.content_version,
            response_latency_ms=self._elapsed_ms(),
            **fields,
        )
        await finish(self.service.records, self.service.local_state, record, self.deadline)
        return response

    def _elapsed_ms(self) -> float:
        return round((time.perf_counter() - self.started) * 1000, 2)
