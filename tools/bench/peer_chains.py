"""LangChain's and LlamaIndex's own ways from a question to an answer with citations.

Each is put together as its documentation shows, over the same server, with vectors that are known
and a model that answers at once with three sentences and their sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.embeddings import Embeddings as LangchainEmbeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import PydanticOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableParallel, RunnablePassthrough
from langchain_qdrant import QdrantVectorStore as LangchainStore
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.vector_stores.qdrant import QdrantVectorStore as LlamaIndexStore
from pydantic import BaseModel, PrivateAttr
from qdrant_client import QdrantClient

from tools.bench.indexes import LANGCHAIN, LLAMA_INDEX, SIZE, Vector

Run = Callable[[str], Any]
TOP = 5
CLAIMS = 3
SYSTEM = (
    "Answer the question from the numbered sources alone. Give each sentence of the answer with "
    "the numbers of the sources it rests on."
)


class CitedSentence(BaseModel):
    text: str
    sources: list[int]


class CitedAnswer(BaseModel):
    sentences: list[CitedSentence]


@dataclass(frozen=True, slots=True)
class Peer:
    """`call_qdrant` is its search and nothing else; `retrieve` brings the best chunks of a
    question, `answer` the answer with its sources."""

    name: str
    call_qdrant: Run
    retrieve: Run
    answer: Run


def peers(url: str, vectors: Mapping[str, Vector]) -> list[Peer]:
    """Both, connected to a filled shelf."""
    client = QdrantClient(url=url, timeout=60, check_compatibility=False)
    return [_langchain(client, vectors), _llama_index(client, vectors)]


def _call(client: QdrantClient, collection: str, vectors: Mapping[str, Vector]) -> Run:
    def call(question: str) -> Any:
        return client.query_points(collection, query=vectors[question], limit=TOP)

    return call


class _LangchainVectors(LangchainEmbeddings):
    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        return [self._vectors[text] for text in texts]

    def embed_query(self, text: str) -> Vector:
        return self._vectors[text]


class _LangchainModel(BaseChatModel):
    """Says what it is to say, as a model with JSON output would."""

    said: str

    @property
    def _llm_type(self) -> str:
        return "said"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None,
                  **given: Any) -> ChatResult:  # fmt: skip
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.said))])


def _langchain(client: QdrantClient, vectors: Mapping[str, Vector]) -> Peer:
    store = LangchainStore(
        client,
        LANGCHAIN,
        _LangchainVectors(vectors),
        validate_embeddings=False,
        validate_collection_config=False,
    )
    retriever = store.as_retriever(search_kwargs={"k": TOP})
    parser: Any = PydanticOutputParser(pydantic_object=CitedAnswer)
    prompt = ChatPromptTemplate.from_messages(
        [("system", SYSTEM), ("human", "Sources:\n{context}\n\nQuestion: {question}")]
    )
    written = CitedAnswer(
        sentences=[
            CitedSentence(text=f"This is sentence {n} of the answer.", sources=[n])
            for n in range(1, CLAIMS + 1)
        ]
    )
    model = _LangchainModel(said=written.model_dump_json())
    # As its guide to answers with sources has it.
    write = (
        RunnablePassthrough.assign(
            context=lambda given: _numbered([each.page_content for each in given["context"]])
        )
        | prompt
        | model
        | parser
    )
    chain = RunnableParallel({"context": retriever, "question": RunnablePassthrough()}).assign(
        answer=write
    )

    def answer(question: str) -> list[dict[str, Any]]:
        given = chain.invoke(question)
        return _cited(given["answer"], given["context"])

    return Peer("LangChain", _call(client, LANGCHAIN, vectors), retriever.invoke, answer)


def _numbered(texts: Sequence[str]) -> str:
    return "\n\n".join(f"Source {n}:\n{text}" for n, text in enumerate(texts, 1))


def _cited(answer: CitedAnswer, found: Sequence[Any]) -> list[dict[str, Any]]:
    numbers = sorted({n for sentence in answer.sentences for n in sentence.sources})
    return [
        {"n": n, "quote": found[n - 1].page_content, **found[n - 1].metadata}
        for n in numbers
        if n <= len(found)
    ]


class _LlamaIndexVectors(BaseEmbedding):
    _known: Mapping[str, Vector] = PrivateAttr(default_factory=dict)

    def know(self, vectors: Mapping[str, Vector]) -> None:
        self._known = vectors

    def _get_text_embedding(self, text: str) -> Vector:
        return self._known.get(text, [0.0] * SIZE)

    def _get_query_embedding(self, query: str) -> Vector:
        return self._known[query]

    async def _aget_query_embedding(self, query: str) -> Vector:
        return self._known[query]


class _LlamaIndexModel(CustomLLM):
    said: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=128_000, num_output=1200)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **given: Any) -> CompletionResponse:
        return CompletionResponse(text=self.said)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **given: Any) -> Any:
        yield CompletionResponse(text=self.said, delta=self.said)


def _llama_index(client: QdrantClient, vectors: Mapping[str, Vector]) -> Peer:
    embedder = _LlamaIndexVectors()
    embedder.know(vectors)
    store = LlamaIndexStore(collection_name=LLAMA_INDEX, client=client)
    index = VectorStoreIndex.from_vector_store(store, embed_model=embedder)
    retriever = index.as_retriever(similarity_top_k=TOP)
    said = " ".join(f"This is sentence {n} of the answer [{n}]." for n in range(1, CLAIMS + 1))
    engine = CitationQueryEngine.from_args(
        index, llm=_LlamaIndexModel(said=said), retriever=retriever, embed_model=embedder
    )
    return Peer("LlamaIndex", _call(client, LLAMA_INDEX, vectors), retriever.retrieve, engine.query)
