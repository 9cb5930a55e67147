/** `tau completion bash|zsh|fish`: the script for the shell; `tau completion words`: what such a script asks. */
import { providers } from "@tau/ai";
import { SessionManager } from "@tau/session/log";
import { settingPaths } from "@tau/session/settings";
import { oneLine, UsageError } from "@tau/utils";

import type { Args } from "../../args.ts";
import { loadRegistry } from "../../launch/load-models.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { printed } from "../sessions/output.ts";
import { complete, type Candidate, type Source } from "./candidates.ts";
import bash from "./tau.bash" with { type: "text" };
import fish from "./tau.fish" with { type: "text" };
import zsh from "./tau.zsh" with { type: "text" };

const aboutChars = 80;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

export async function runCompletion(args: Args): Promise<number> {
	const [what = "bash", ...words] = args.operands;
	const script = scripts[what];
	if (script !== undefined) return printed(script);
	if (what !== "words")
		throw new UsageError(
			`There is no completion for ${what}. Choose one of: ${Object.keys(scripts).join(", ")}.`,
		);
	// Each word follows a sign, so that an empty one is a word, too.
	const { candidates, files, source } = complete(words.map((word) => word.slice(1)));
	const all = [...candidates, ...(source ? await read(source, args) : [])];
	const lines = all.map(({ word, about }) =>
		about === undefined ? word : `${word}\t${oneLine(about, aboutChars)}`,
	);
	return printed([...lines, ...(files ? [":files"] : [])].map((line) => `${line}\n`).join(""));
}

async function read(source: Source, args: Args): Promise<Candidate[]> {
	switch (source) {
		case "providers":
			return providers.map(({ id }) => ({ word: id }));
		case "settings":
			return settingPaths.map((path) => ({ word: path }));
		case "sessions":
			return (await SessionManager.list(process.cwd(), args.flags.get("session-dir"))).map(
				({ id, name, firstMessage }) => ({ word: id, about: name ?? firstMessage }),
			);
		case "models": {
			const registry = await loadRegistry(args, process.env, await openSettings(args), {}, () => {});
			const usable = registry.all().filter((model) => registry.isAvailable(model));
			const shown = usable.length > 0 ? usable : registry.all();
			return shown.map(({ provider, id, name }) => ({ word: `${provider}/${id}`, about: name }));
		}
	}
}
