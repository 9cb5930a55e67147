/** All settings in one table, and the lookup by the text that a user types. */
import { nearest } from "@tau/utils";

import { agents } from "./groups/agents.ts";
import { auth } from "./groups/auth.ts";
import { bash } from "./groups/bash.ts";
import { browserSettings } from "./groups/browser.ts";
import { evalSettings } from "./groups/eval.ts";
import { collab } from "./groups/collab.ts";
import { share } from "./groups/share.ts";
import { compaction } from "./groups/compaction.ts";
import { conversation } from "./groups/conversation.ts";
import { discovery } from "./groups/discovery.ts";
import { extensions } from "./groups/extensions.ts";
import { fetchSettings } from "./groups/fetch.ts";
import { fleet } from "./groups/fleet.ts";
import { screen } from "./groups/interface.ts";
import { mcp } from "./groups/mcp.ts";
import { lsp } from "./groups/lsp.ts";
import { memory } from "./groups/memory.ts";
import { models } from "./groups/models.ts";
import { permissions } from "./groups/permissions.ts";
import { sandbox } from "./groups/sandbox.ts";
import { selectors } from "./groups/selectors.ts";
import { session } from "./groups/session.ts";
import { ssh } from "./groups/ssh.ts";
import { tools } from "./groups/tools.ts";
import { ttsr } from "./groups/ttsr.ts";
import { imageSettings } from "./groups/images.ts";
import { web } from "./groups/web.ts";
import { webSearchSettings } from "./groups/web-search.ts";
import type { Setting } from "./setting.ts";

export const groups = [
	{ title: "Models", settings: models },
	{ title: "Credentials", settings: auth },
	{ title: "Conversation", settings: conversation },
	{ title: "Compaction", settings: compaction },
	{ title: "Sessions", settings: session },
	{ title: "Rooms", settings: collab },
	{ title: "Fleet", settings: fleet },
	{ title: "Shares", settings: share },
	{ title: "Memory", settings: memory },
	{ title: "Shell commands", settings: bash },
	{ title: "Cells of code", settings: evalSettings },
	{ title: "Sandbox", settings: sandbox },
	{ title: "Other machines", settings: ssh },
	{ title: "Tools", settings: tools },
	{ title: "Agents", settings: agents },
	{ title: "Language servers", settings: lsp },
	{ title: "Permissions", settings: permissions },
	{ title: "Extensions", settings: extensions },
	{ title: "MCP servers", settings: mcp },
	{ title: "Discovery", settings: discovery },
	{ title: "Screen", settings: screen },
	{ title: "Lists", settings: selectors },
	{ title: "Web pages", settings: fetchSettings },
	{ title: "Web search", settings: webSearchSettings },
	{ title: "Images", settings: imageSettings },
	{ title: "Browser", settings: browserSettings },
	{ title: "Tau in the browser", settings: web },
	{ title: "Rules", settings: ttsr },
] as const;

export const schema = {
	...models,
	...auth,
	...conversation,
	...compaction,
	...session,
	...collab,
	...fleet,
	...share,
	...web,
	...memory,
	...bash,
	...evalSettings,
	...sandbox,
	...ssh,
	...tools,
	...agents,
	...lsp,
	...permissions,
	...extensions,
	...mcp,
	...discovery,
	...fetchSettings,
	...webSearchSettings,
	...imageSettings,
	...browserSettings,
	...screen,
	...selectors,
	...ttsr,
};

export type SettingPath = keyof typeof schema;

export type SettingValue<P extends SettingPath> = (typeof schema)[P] extends Setting<infer T> ? T : never;

/** A setting that holds a value for each of several names. */
type TablePath = {
	[P in SettingPath]: SettingValue<P> extends Readonly<Record<string, string>> ? P : never;
}[SettingPath];

/** A setting, or one entry of a table: `modelRoles.smol`. */
export type SettingKey = SettingPath | `${TablePath}.${string}`;

export interface Named {
	path: SettingPath;
	setting: Setting;
	/** The entry of a table, if the key names one. */
	entry?: string;
}

export const settingPaths = Object.keys(schema) as SettingPath[];

export function isSettingPath(path: string): path is SettingPath {
	return Object.hasOwn(schema, path);
}

/** Whether the path contains settings, as `retry` contains `retry.enabled`. */
export function isGroup(path: string): boolean {
	return settingPaths.some((known) => known.startsWith(`${path}.`));
}

export function findSetting(key: string): Named | undefined {
	if (isSettingPath(key)) return { path: key, setting: schema[key] };
	for (let dot = key.indexOf("."); dot > 0; dot = key.indexOf(".", dot + 1)) {
		const path = key.slice(0, dot);
		const entry = key.slice(dot + 1);
		if (isSettingPath(path) && schema[path].hint.kind === "table" && entry !== "")
			return { path, setting: schema[path], entry };
	}
	return undefined;
}

/** The value as lists and replies show it: of a secret, only that it is set, or which variable has it. */
export function visibleValue(key: string, value: unknown): unknown {
	if (!findSetting(key)?.setting.isSecret || typeof value !== "string") return value;
	return /^(?:\$\w+)?$/.test(value) ? value : "(hidden)";
}

/** Suggests similar settings: a typo of the whole name, or its last part alone. */
export function nearSettings(key: string): string[] {
	const byEnd = settingPaths.filter((path) => path.toLowerCase().endsWith(`.${key.toLowerCase()}`));
	return [...new Set([...byEnd, ...nearest(key, settingPaths, 2)])].slice(0, 2);
}

/** The groups whose names are similar to this one. */
export function nearGroups(key: string): string[] {
	const names = new Set(
		settingPaths.flatMap((path) => (path.includes(".") ? [path.replace(/\..*/s, "")] : [])),
	);
	return nearest(key, [...names], 2);
}

/** Returns the setting's path in a file. */
export function pathOf({ path, entry }: Pick<Named, "path" | "entry">): string[] {
	return [...path.split("."), ...(entry === undefined ? [] : [entry])];
}
