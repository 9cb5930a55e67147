/** Methods of ACP mode beside its protocol: what sessions have used, what discovery finds, and the switches for it. */
import { basename } from "node:path";

import { ompMethods, type FoundExtension, type OmpSource } from "@tau/compat/omp-methods";
import { discovered } from "@tau/session-commands/work";
import { isTrusted } from "@tau/extensions/trust";
import { dirs, UsageError } from "@tau/utils";
import type { SessionClient } from "@tau/wire";

import type { Args } from "../args.ts";
import { loadSettings } from "./load-settings.ts";

/** Extensions have a setting of their own, by name. */
const ofExtensions = "extensions:";

/** Undefined if there is no such method. */
export async function answerExtra(
	args: Args,
	{ method, params }: { method: string; params: unknown },
	sessions: ReadonlyMap<string, SessionClient>,
	list: OmpSource["list"],
): Promise<object | undefined> {
	const usage: OmpSource["usage"] = () =>
		Promise.all(
			[...sessions].map(async ([sessionId, client]) => {
				const { cwd } = client.view.facts.session;
				return { cwd, ...(await client.request("get_session_stats", {})), sessionId };
			}),
		);
	const source: OmpSource = {
		list,
		usage,
		extensions: (cwd) => foundExtensions(args, cwd),
		toggle: (id, isOn) => toggleExtension(args, id, isOn),
	};
	return await ompMethods[method]?.(source, params);
}

async function foundExtensions(args: Args, cwd = process.cwd()): Promise<FoundExtension[]> {
	const settings = await loadSettings(args, process.env, cwd);
	const trusted = args.flags.has("trust") || isTrusted(cwd, dirs().agent);
	const { sections } = await discovered(cwd, process.env, settings, trusted);
	const found = sections.flatMap(({ id: kind, rows }) =>
		rows.map(({ name, about, path, source, level, state, because }): FoundExtension => ({
			id: `${kind}:${kind === "extensions" ? nameOf(path) : name}`,
			kind,
			name,
			description: about,
			path,
			source,
			level,
			state: state === "used" ? "active" : state,
			...(because === undefined ? {} : { because }),
		})),
	);
	// Those that are left out by name are not looked for.
	const left = settings.get("disabledExtensions").map((entry): FoundExtension => {
		const name = entry.replace(/^extension-module:/, "");
		return { id: `${ofExtensions}${name}`, kind: "extensions", name, state: "disabled" };
	});
	return [...found, ...left];
}

/** In the user's own settings. */
async function toggleExtension(args: Args, given: string, isOn: boolean): Promise<void> {
	const id = given.replace(/^extension-module:/, ofExtensions);
	const settings = await loadSettings(args);
	const found = await foundExtensions(args);
	const isKnown =
		found.some((each) => each.id === id || each.source === id) ||
		settings.get("discovery.disabled").includes(id);
	if (!isKnown) throw new UsageError(`Unknown extension: ${given}`);
	const [setting, entry] = id.startsWith(ofExtensions)
		? (["disabledExtensions", id.slice(ofExtensions.length)] as const)
		: (["discovery.disabled", id] as const);
	const others = settings.get(setting).filter((each) => !namesSame(each, entry));
	const outcome = await settings.set(setting, isOn ? others : [...others, entry], "global");
	if (!outcome.ok) throw new UsageError(outcome.reason);
}

function namesSame(one: string, other: string): boolean {
	return one.replace(/^extension-module:/, "") === other;
}

/** As the setting names it: `foo` for `foo.ts` and `foo/index.ts`. */
function nameOf(path: string): string {
	const file = basename(path).replace(/\.[^.]+$/, "");
	return file === "index" ? basename(path.slice(0, path.lastIndexOf("/"))) : file;
}
