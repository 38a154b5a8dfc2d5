"""All collections and aliases of one data directory."""

from __future__ import annotations

import fcntl
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from qdrant_client.http import models

from quoth.qdrant.collection import ABOUT, Collection, read_json, write_json
from quoth.qdrant.errors import Refused, StoreInUse, collection_missing, wrong_input

FORBIDDEN_IN_NAMES = set('<>:"/\\|?*\0\x1f')
MAX_NAME_LENGTH = 255


class Store:
    """Opens the directory for this process alone; raises `StoreInUse` when another has it."""

    def __init__(self, data_dir: Path) -> None:
        data_dir.mkdir(parents=True, exist_ok=True)
        self._held = (data_dir / "lock").open("w")
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._held.close()
            raise StoreInUse(f"the store is in use by another process: {data_dir}") from error
        self._aliases_path = data_dir / "aliases.json"
        self._root = data_dir / "collections"
        self._changing = threading.Lock()
        self._collections = _load_collections(self._root)
        self._aliases: dict[str, str] = (
            read_json(self._aliases_path) if self._aliases_path.exists() else {}
        )

    def close(self) -> None:
        """Write everything out and let go of the directory. Closing twice does nothing."""
        with self._changing:
            for collection in self._collections.values():
                collection.close()
            self._collections = {}
            self._held.close()

    def names(self) -> list[str]:
        return sorted(self._collections)

    def aliases(self) -> dict[str, str]:
        """Alias to collection name."""
        return dict(self._aliases)

    def find(self, name: str) -> Collection | None:
        return self._collections.get(self._aliases.get(name, name))

    def get(self, name: str) -> Collection:
        """The collection of that name or alias. Raises `Refused` 404."""
        found = self.find(name)
        if found is None:
            raise collection_missing(name)
        return found

    def create(self, name: str, settings: models.CreateCollection) -> None:
        _check_name(name)
        with self._changing:
            if name in self._collections or name in self._aliases:
                raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
            # The directory counts only from the moment it says which collection it is.
            path = self._root / uuid4().hex
            try:
                created = Collection.create(path, name, settings)
            except Refused:
                shutil.rmtree(path, ignore_errors=True)
                raise
            self._collections = {**self._collections, name: created}

    def delete(self, name: str) -> bool:
        """Whether there was such a collection. An alias is not followed, as in Qdrant."""
        with self._changing:
            if name not in self._collections:
                return False
            left = dict(self._collections)
            removed = left.pop(name)
            self._keep_aliases({a: c for a, c in self._aliases.items() if c != name})
            (removed.path / ABOUT).unlink()
            self._collections = left
            removed.close()
            shutil.rmtree(removed.path, ignore_errors=True)
            return True

    def change_aliases(self, actions: Sequence[models.AliasOperations]) -> None:
        """Carry out all the actions or none: readers see the old or the new aliases."""
        with self._changing:
            aliases = dict(self._aliases)
            for action in actions:
                self._apply(action, aliases)
            self._keep_aliases(aliases)

    def _apply(self, action: models.AliasOperations, aliases: dict[str, str]) -> None:
        match action:
            case models.CreateAliasOperation(create_alias=asked):
                if asked.collection_name not in self._collections:
                    raise collection_missing(asked.collection_name)
                self._check_free(asked.alias_name)
                aliases[asked.alias_name] = asked.collection_name
            case models.DeleteAliasOperation(delete_alias=gone):
                aliases.pop(gone.alias_name, None)
            case models.RenameAliasOperation(rename_alias=renamed):
                if renamed.old_alias_name not in aliases:
                    raise Refused(
                        404, f"Not found: Alias {renamed.old_alias_name} does not exists!"
                    )
                self._check_free(renamed.new_alias_name)
                aliases[renamed.new_alias_name] = aliases.pop(renamed.old_alias_name)

    def _check_free(self, alias: str) -> None:
        _check_name(alias)
        if alias in self._collections:
            raise Refused(409, f"Wrong input: Collection `{alias}` already exists!")

    def _keep_aliases(self, aliases: dict[str, str]) -> None:
        if aliases != self._aliases:
            write_json(self._aliases_path, aliases)
            self._aliases = aliases


def _load_collections(root: Path) -> dict[str, Collection]:
    root.mkdir(exist_ok=True)
    loaded = {}
    for path in sorted(root.iterdir()):
        if (path / ABOUT).exists():
            collection = Collection.load(path)
            loaded[collection.name] = collection
        else:  # its creation never ended, or its deletion did not
            shutil.rmtree(path, ignore_errors=True)
    return loaded


def _check_name(name: str) -> None:
    bad = FORBIDDEN_IN_NAMES & set(name)
    if not name or bad or len(name) > MAX_NAME_LENGTH:
        raise wrong_input(f"{name[:80]!r} cannot be the name of a collection")
