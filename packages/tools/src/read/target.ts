/** Finds the file that a path names, also where a range, an entry, a table or a query follows the file name. */
import { basename, dirname, join } from "node:path";

import type { FileFacts } from "@tau/sys";
import { lookAlikeName } from "@tau/utils";

import type { ToolEnv } from "../tool/env.ts";
import { limits } from "./limits.ts";

export interface Target {
	ok: true;
	/** The file or directory as the model calls it. */
	shown: string;
	absolute: string;
	info: FileFacts;
	/** The part after the colon. */
	selector?: string;
	/** The part after `?q=`. */
	query?: string;
}

/** The longest beginning of the path that is there is the file: names may have colons in them. */
export async function findTarget(
	path: string,
	env: Pick<ToolEnv, "machine" | "resolve">,
): Promise<Target | { ok: false; error: NodeJS.ErrnoException }> {
	const whole = await look(path, env);
	if (whole.ok || !mayGoOn(whole.error)) return whole;
	for (const cut of cutsOf(path)) {
		const found = await look(path.slice(0, cut), env);
		if (!found.ok || found.info.kind !== "file") continue;
		return path[cut] === "?"
			? { ...found, query: path.slice(cut + "?q=".length) }
			: { ...found, selector: path.slice(cut + 1) };
	}
	return (await lookAlike(path, env)) ?? whole;
}

/** The file is meant if no other in its directory looks the same. */
async function lookAlike(
	path: string,
	env: Pick<ToolEnv, "machine" | "resolve">,
): Promise<Target | undefined> {
	const directory = dirname(env.resolve(path));
	// A directory that cannot be listed has no such file.
	const entries = await env.machine.files.list(directory).catch(() => []);
	const names = entries.map(({ name }) => name);
	const alike = lookAlikeName(basename(path), names);
	if (alike === undefined) return undefined;
	const found = await look(join(dirname(path), alike), env);
	return found.ok ? found : undefined;
}

async function look(
	shown: string,
	env: Pick<ToolEnv, "machine" | "resolve">,
): Promise<Target | { ok: false; error: NodeJS.ErrnoException }> {
	const absolute = env.resolve(shown);
	try {
		const info = await env.machine.files.stat(absolute);
		if (info) return { ok: true, shown, absolute, info };
		return { ok: false, error: Object.assign(new Error(`There is no ${absolute}`), { code: "ENOENT" }) };
	} catch (error) {
		return { ok: false, error: error as NodeJS.ErrnoException };
	}
}

/** A query may be longer than any name. Machines of extensions give errors without a code. */
function mayGoOn({ code }: NodeJS.ErrnoException): boolean {
	return code === undefined || code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG";
}

/** From the end to the beginning. */
function cutsOf(path: string): number[] {
	const query = path.indexOf("?q=");
	const colons = [...path.matchAll(/:/g)].map(({ index }) => index);
	const cuts = query < 0 ? colons : [...colons.filter((at) => at < query), query];
	return cuts
		.filter((at) => at > 0)
		.slice(-limits.pathParts)
		.toReversed();
}
