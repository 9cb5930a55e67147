/** Finds the hooks of a run: those of files that programs leave, and those of Tau's own settings. */
import type { Settings } from "@tau/config/settings";

import { parseHooks, type Hook, type HookItem } from "../hooks/index.ts";
import { hooks } from "./capabilities.ts";
import type { DiscoveryPaths } from "@tau/resources/sources";
import {
	type DiscoveryRegistry,
	type Switches,
	together,
	type Origin,
	type Warning,
} from "@tau/resources/discovery";
import type { SurveySection } from "./survey.ts";

type HookSettings = Pick<Settings, "get" | "explain">;

/** The lists of all files that set them count, not only those of the last one. */
export function registerHookSettings(registry: DiscoveryRegistry, settings: HookSettings): void {
	// Looking up where hooks come from is slow, and most users have none.
	if (Object.keys(settings.get("hooks")).length === 0) return;
	registry.register(hooks, {
		source: "settings",
		priority: Number.POSITIVE_INFINITY,
		load: async () => {
			const { sources: values } = await settings.explain("hooks");
			const place = (path: string): Origin => ({ source: "tau", level: "user", path });
			return together<HookItem>(
				values.map(({ file, value }) => parseHooks(value, place(file ?? "settings"))),
			);
		},
	});
}

export interface DiscoveredHooks {
	hooks: Hook[];
	/** Files of the project whose hooks are left out because it is not trusted. */
	untrusted: string[];
	warnings: Warning[];
}

/** A project's hooks apply only if it is trusted. */
export async function loadHooks(
	registry: DiscoveryRegistry,
	paths: DiscoveryPaths,
	switches: Switches,
	isTrusted: () => boolean,
): Promise<DiscoveredHooks> {
	const { items, warnings } = await registry.load(hooks, paths, switches);
	const isOfProject = ({ origin: { level } }: HookItem): boolean => level === "project";
	const isAsked = items.some(isOfProject);
	const trusted = isAsked && isTrusted();
	const allowed = items.filter((item) => trusted || !isOfProject(item));
	const off = new Set(allowed.flatMap(({ kind, origin }) => (kind === "off" ? [origin.source] : [])));
	return {
		hooks: allowed.flatMap((item) => (item.kind === "command" && !off.has(item.origin.source) ? [item] : [])),
		untrusted: trusted ? [] : [...new Set(items.filter(isOfProject).map(({ origin }) => origin.path))],
		warnings,
	};
}

/** A survey of an untrusted project: its hooks are listed, but do not run. */
export function withoutUntrustedHooks(section: SurveySection): SurveySection {
	if (section.id !== hooks.id) return section;
	const rows = section.rows.map((row) =>
		row.level === "project" && row.state === "used"
			? { ...row, state: "disabled" as const, because: "the project is not trusted (--trust)" }
			: row,
	);
	return { ...section, rows };
}
