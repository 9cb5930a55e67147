/** Environments for built-in tools that an extension makes for itself, with or without a session. */
import { resolve } from "node:path";
import type { Model } from "@tau/ai";
import { currentScope, type ExtensionScope } from "@tau/extensions/support";
import { localMachine, withObserver, type Machine } from "@tau/sys";
import { expandHome, withoutDotenv } from "@tau/utils";
import { ArtifactDirectory, TemporaryDirectory } from "@tau/session/artifacts";
import { ChangeJournal } from "@tau/session/journal";
import { schema, type SettingPath, type Settings } from "@tau/session/settings";
import { type ToolPlace, Shelf, type Slot } from "@tau/tools/tool";

const temporary: Slot<TemporaryDirectory> = {
	name: "directory for temporary files",
	create: () => new TemporaryDirectory(),
};

/** Settings are those that nobody has changed. */
const defaults = { get: (path: SettingPath) => schema[path].default } as Pick<Settings, "get">;

/** No tool asks what the model is called; some ask what it can read. */
const anyModel: Model = {
	id: "",
	name: "",
	api: "",
	provider: "",
	baseUrl: "",
	reasoning: false,
	input: ["text", "image"],
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	contextWindow: 0,
	maxTokens: 0,
};

/** The shelves of this machine, by directory: tools of one session share a shell and what they have read there. */
const shelves = new WeakMap<ExtensionScope, Map<string, Shelf>>();

export function ownPlace(cwd: string, machine?: Machine): ToolPlace {
	const scope = currentScope();
	const journal = new ChangeJournal();
	const place: ToolPlace = {
		cwd,
		machine: withObserver(machine ?? localMachine(), journal),
		journal,
		env: withoutDotenv(),
		resolve: (path) => resolve(cwd, expandHome(path)),
		settings: defaults,
		artifacts: new ArtifactDirectory(() => place.shelf.get(temporary, place).path),
		get shelf() {
			return (own ??= machine ? newShelf(scope) : shelfIn(scope, cwd));
		},
		conversation: { model: anyModel, messages: [], tell: async () => {}, say: () => {} },
	};
	// Most tools that are made are never called.
	let own: Shelf | undefined;
	return place;
}

function shelfIn(scope: ExtensionScope, cwd: string): Shelf {
	const known = shelves.get(scope) ?? new Map<string, Shelf>();
	shelves.set(scope, known);
	const there = known.get(cwd);
	if (there && !there.isClosed) return there;
	const made = newShelf(scope);
	known.set(cwd, made);
	return made;
}

function newShelf(scope: ExtensionScope): Shelf {
	const shelf = new Shelf();
	scope.own(shelf);
	return shelf;
}
