/** Finds the hooks of one file of settings. */

import { isRecord, parseFailure } from "@tau/utils";

import { errorLine, nothing, type Findings, isInside, readText, realOf } from "@tau/resources/discovery";
import type { HookItem } from "./hook.ts";
import { limits } from "./limits.ts";
import { parseHooks, type HookOrigin } from "./parse-hooks.ts";

/** `within` is the real path that must contain a project's files, after links are resolved. */
export function findHooks(place: HookOrigin & { within?: string | undefined }): Findings<HookItem> {
	const { within, ...at } = place;
	const { path } = at;
	const wrong = (message: string): Findings<HookItem> => ({
		items: [],
		warnings: [{ path, message, isLeftOut: true }],
	});
	const read = readText(path, limits.fileBytes);
	if (!read) return nothing();
	const real = realOf(path);
	if (within !== undefined && real !== undefined && !isInside(real, within))
		return wrong("it is a link that points outside the project");
	if (!read.ok) return wrong(read.message);
	let settings: unknown;
	try {
		settings = read.text.trim() === "" ? {} : Bun.JSONC.parse(read.text);
	} catch (error) {
		const line = errorLine(read.text, Bun.JSONC.parse);
		const message = `is not valid JSON: ${parseFailure(error, read.text)}`;
		return {
			items: [],
			warnings: [{ path, message, isLeftOut: true, ...(line === undefined ? {} : { line }) }],
		};
	}
	if (!isRecord(settings)) return wrong("must be a group of settings");
	const { source, level } = at;
	const origin = { source, level, path };
	const off: HookItem[] =
		settings.disableAllHooks === true ? [{ kind: "off", name: "disableAllHooks", origin }] : [];
	if (settings.hooks === undefined) return { items: off, warnings: [] };
	const { items, warnings } = parseHooks(settings.hooks, at);
	return { items: [...off, ...items], warnings };
}
