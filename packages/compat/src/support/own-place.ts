/** A place for built-in tools that an extension makes for itself, with or without a session. */
import { resolve } from "node:path";
import type { Model } from "@tau/ai";
import { expandHome, onDispose, withoutDotenv } from "@tau/utils";
import { ArtifactDirectory, TemporaryDirectory } from "@tau/session/artifacts";
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

/** What the tools of all such places keep between calls, a shell for instance. */
let shelf = new Shelf();

export function ownPlace(cwd: string): ToolPlace {
	const place: ToolPlace = {
		cwd,
		env: withoutDotenv(),
		resolve: (path) => resolve(cwd, expandHome(path)),
		settings: defaults,
		artifacts: new ArtifactDirectory(() => shelf.get(temporary, place).path),
		get shelf() {
			return shelf;
		},
		conversation: { model: anyModel, messages: [], tell: async () => {}, say: () => {} },
	};
	return place;
}

/** Sessions within a session that are ending: what the outer one has running is not theirs to end. */
let inner = 0;

export function keepOwnPlaces(): Disposable {
	inner++;
	return onDispose(() => inner--);
}

/** Ends what the tools have left running. */
export async function endOwnPlaces(): Promise<void> {
	if (inner > 0) return;
	const left = shelf;
	shelf = new Shelf();
	await left[Symbol.asyncDispose]();
}
