/** What Claude Code's marketplaces that this machine knows have to offer: `name@marketplace` as the source of a package. */
import { join, posix, resolve } from "node:path";

import { nearest, isRecord } from "@tau/utils";

import { isInside } from "@tau/resources/discovery";
import type { Outcome } from "./problem.ts";
import { readJson, tableIn, textIn } from "./record.ts";

export interface Offers {
	/** The directory of the marketplace's copy. */
	location: string;
	/** Below it, what paths count from. */
	above: string;
	plugins: readonly Record<string, unknown>[];
}

/** None where it cannot be read. */
export function offersIn(location: string): Offers {
	const file = readJson(join(location, ".claude-plugin/marketplace.json"));
	const plugins: unknown = file.ok ? file.value.plugins : [];
	const above = (file.ok ? textIn(tableIn(file.value, "metadata"), "pluginRoot") : undefined) ?? ".";
	return { location, above, plugins: Array.isArray(plugins) ? plugins.filter(isRecord) : [] };
}

/** The directory of a plugin that is in the copy itself. */
export function pluginRoot({ location, above, plugins }: Offers, name: string): string | undefined {
	const entry = plugins.find((one) => one.name === name);
	const place = entry && textIn(entry, "source");
	if (place === undefined || /^[a-z]+:/i.test(place)) return undefined;
	const root = resolve(location, posix.join(above, place));
	return root === resolve(location) || isInside(root, resolve(location)) ? root : undefined;
}

/**
 * Resolves `name@marketplace` to the source of the plugin. Undefined if the word has another meaning: a version or a
 * tag of npm may follow an @ as well.
 */
export function sourceInMarket(word: string, home: string): Outcome<string> | undefined {
	const [, name = "", market = ""] = /^([\w.-]+)@([\w.-]+)$/.exec(word) ?? [];
	const markets = market === "" ? undefined : readJson(join(home, ".claude/plugins/known_marketplaces.json"));
	const location = markets?.ok ? textIn(tableIn(markets.value, market), "installLocation") : undefined;
	if (location === undefined) return undefined;
	const offers = offersIn(location);
	const entry = offers.plugins.find((one) => one.name === name);
	if (!entry)
		return { ok: false, reason: `${name} not found in the marketplace ${market}. ${hint(name, offers)}` };
	const source = pluginRoot(offers, name) ?? elsewhere(entry.source);
	if (source !== undefined) return { ok: true, value: source };
	return { ok: false, reason: `The marketplace ${market} gives no source for ${name}.` };
}

function hint(name: string, { plugins }: Offers): string {
	const names = plugins.flatMap((one) => textIn(one, "name") ?? []);
	const [near] = nearest(name, names, 1);
	if (near !== undefined) return `Did you mean ${near}?`;
	return names.length === 0 ? "It is empty." : `Available: ${names.join(", ")}.`;
}

/** A plugin with its own repository. */
function elsewhere(source: unknown): string | undefined {
	if (!isRecord(source)) return undefined;
	const [kind, repo, url] = [textIn(source, "source"), textIn(source, "repo"), textIn(source, "url")];
	const ref = textIn(source, "ref");
	const at = ref === undefined ? "" : `@${ref}`;
	if (kind === "github" && repo !== undefined) return `git:github.com/${repo}${at}`;
	if ((kind === "url" || kind === "git") && url !== undefined) return `git:${url}${at}`;
	return kind === "npm" ? npmSource(source) : undefined;
}

function npmSource(source: Record<string, unknown>): string | undefined {
	const [name, version] = [textIn(source, "package"), textIn(source, "version")];
	return name === undefined ? undefined : `npm:${name}${version === undefined ? "" : `@${version}`}`;
}
