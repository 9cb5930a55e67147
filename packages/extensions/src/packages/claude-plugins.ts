/** The plugins that Claude Code has installed, and those of its marketplaces that it has switched on. */
import { join, resolve } from "node:path";

import { isRecord } from "@tau/utils";

import { isInside } from "@tau/resources/discovery";
import type { InstalledPackage } from "./installed-package.ts";
import { limits } from "./limits.ts";
import { offersIn, pluginRoot } from "./marketplace.ts";
import { readJson, tableIn, textIn } from "./record.ts";

export interface ClaudeDirectories {
	cwd: string;
	home: string;
	isTrusted: boolean;
}

export function claudePlugins(places: ClaudeDirectories): InstalledPackage[] {
	const base = join(places.home, ".claude/plugins");
	const installed = readJson(join(base, "installed_plugins.json"));
	const markets = readJson(join(base, "known_marketplaces.json"));
	if (!installed.ok && !markets.ok) return [];
	const switches = switchesOf(places);
	const found = new Map<string, InstalledPackage>();
	for (const [id, entries] of Object.entries(installed.ok ? tableIn(installed.value, "plugins") : {})) {
		// A single entry in the first version of the file, a list since.
		const list: unknown[] = Array.isArray(entries) ? entries : [entries];
		const fitting = list.filter(isRecord).find((entry) => isFor(entry, places.cwd));
		const root = fitting && textIn(fitting, "installPath");
		if (fitting && root !== undefined)
			found.set(id, plugin(id, resolve(base, root), textIn(fitting, "version"), switches.get(id)));
	}
	for (const [id, isOn] of switches) {
		if (!isOn || found.has(id) || !markets.ok) continue;
		const root = rootInMarket(id, markets.value);
		if (root !== undefined) found.set(id, plugin(id, root, undefined, true));
	}
	return [...found.values()].slice(0, limits.packages);
}

/** One that was installed for a project is not for another one. */
function isFor(entry: Record<string, unknown>, cwd: string): boolean {
	const project = textIn(entry, "projectPath");
	return project === undefined || cwd === project || isInside(cwd, project);
}

/** A project may switch off what it likes; to switch on it has to be trusted. */
function switchesOf({ cwd, home, isTrusted }: ClaudeDirectories): Map<string, boolean> {
	const all = new Map<string, boolean>();
	const files = [
		{ path: join(home, ".claude/settings.json"), mayEnable: true },
		{ path: join(cwd, ".claude/settings.json"), mayEnable: isTrusted },
		{ path: join(cwd, ".claude/settings.local.json"), mayEnable: isTrusted },
	];
	for (const { path, mayEnable } of files) {
		const file = readJson(path);
		for (const [id, isOn] of Object.entries(file.ok ? tableIn(file.value, "enabledPlugins") : {}))
			if (typeof isOn === "boolean" && (mayEnable || !isOn)) all.set(id, isOn);
	}
	return all;
}

/** The plugin's directory in the copy of the marketplace, if it is there. */
function rootInMarket(id: string, markets: Record<string, unknown>): string | undefined {
	const [name = "", market = ""] = id.split("@");
	const location = textIn(tableIn(markets, market), "installLocation");
	return location === undefined ? undefined : pluginRoot(offersIn(location), name);
}

function plugin(id: string, root: string, version = "0.0.0", isOn: boolean | undefined): InstalledPackage {
	return {
		name: id.split("@")[0] ?? id,
		version,
		source: `claude:${id}`,
		from: "claude",
		scope: "user",
		root,
		...(isOn === false ? { off: "disabled in Claude Code" } : {}),
		features: null,
		filters: [],
	};
}
