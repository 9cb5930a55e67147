/** The rows of `tau config`: settings with their origins, and the files that are read. */
import { existsSync } from "node:fs";
import { settingPaths, sourcesOf, writtenFile, type Origin, type Settings } from "@tau/config/settings";

import { UsageError } from "@tau/utils";
import type { Args } from "../../args.ts";
import { settingFiles } from "../../launch/load-settings.ts";

export interface SettingRow {
	key: string;
	value: unknown;
	default: unknown;
	from: Origin;
}

export interface FileRow {
	layer: Origin["layer"];
	file: string;
	exists: boolean;
	/** True when `tau config set` writes the setting. */
	written: boolean;
}

export async function settingRows(
	settings: Settings,
	search: string,
	keys: readonly string[] = settingPaths,
): Promise<SettingRow[]> {
	const patterns = keys.filter((key) => key.toLowerCase().includes(search.toLowerCase()));
	const rows: SettingRow[] = [];
	for (const key of patterns) {
		const explanation = await settings.explain(key);
		// JSON has no undefined, and null is clearer than a missing field.
		if (explanation)
			rows.push({
				key,
				value: explanation.value ?? null,
				default: explanation.default ?? null,
				from: explanation.from,
			});
	}
	return rows;
}

export function fileRows(args: Args): FileRow[] {
	const files = settingFiles(args);
	const written = new Set([writtenFile("global", files), writtenFile("project", files)]);
	const rows = sourcesOf(files).map(({ layer, path }) => ({
		layer,
		file: path,
		exists: existsSync(path),
		written: written.has(path),
	}));
	const scope = scopeOf(args);
	return scope === undefined ? rows : rows.filter((row) => row.layer === scope && row.written);
}

export function scopeOf({ flags }: Args): "global" | "project" | undefined {
	if (flags.has("global") && flags.has("project"))
		throw new UsageError("Use either --global or --project, not both.");
	return flags.has("project") ? "project" : flags.has("global") ? "global" : undefined;
}
