/** What extensions have set that a client elsewhere draws itself, and what it has to ask for. */
import type { Extensions } from "@tau/extensions/host";
import type { ComponentValues } from "@tau/wire";

import { entryKind } from "@tau/interactive/surfaces";
import { limits } from "./limits.ts";
import type { Surfaces } from "./surfaces.ts";

type Extension = Extensions["runner"]["extensions"][number];

export function valuesOf(surfaces: Surfaces): ComponentValues {
	const { shown, options } = surfaces;
	const { title, working, isWorkingHidden, indicator, thinkingLabel } = shown;
	const all = options.extensions()?.runner.extensions ?? [];
	const statuses = [...shown.statuses].slice(-limits.values);
	return {
		...(title === undefined ? {} : { title: short(title) }),
		statuses: Object.fromEntries(statuses.map(([key, text]) => [short(key), short(text)])),
		...(working === undefined ? {} : { working: short(working) }),
		...(isWorkingHidden ? { isWorkingHidden } : {}),
		...indicatorOf(indicator),
		...(thinkingLabel === undefined ? {} : { thinkingLabel: short(thinkingLabel) }),
		shortcuts: names(all.flatMap(({ shortcuts }) => [...shortcuts.keys()])),
		tools: names([...all.flatMap(ownTools), ...surfaces.others.flatMap((each) => drawnTools(each, options))]),
		messages: names(all.flatMap(drawnMessages)),
	};
}

/** Extensions are not always type-checked, and a status is a line. */
function short(text: unknown): string {
	return String(text).slice(0, limits.valueChars);
}

function names(all: readonly string[]): string[] {
	return [...new Set(all)].slice(0, limits.values);
}

function indicatorOf(indicator: Surfaces["shown"]["indicator"]): Pick<ComponentValues, "indicator"> {
	if (!Array.isArray(indicator?.frames)) return {};
	const frames = indicator.frames.slice(0, limits.values).map(short);
	return { indicator: { frames, intervalMs: indicator.intervalMs ?? limits.indicatorMs } };
}

/** The kinds of messages, and of entries of the log, that an extension draws. */
function drawnMessages({ renderers, entryRenderers }: Extension): string[] {
	return [...renderers.keys(), ...[...entryRenderers.keys()].map(entryKind)];
}

/** Its tools that draw themselves. */
function ownTools({ tools }: Extension): string[] {
	return [...tools].filter(([, tool]) => tool.renderCall ?? tool.renderResult).map(([name]) => name);
}

/** The tools of others that it draws. */
function drawnTools({ toolRenderers }: Extension, { host }: Surfaces["options"]): string[] {
	const all = (): string[] => host.session.state.tools.map(({ name }) => name);
	return toolRenderers.flatMap(({ names: drawn }) => (drawn === "*" ? all() : [...drawn]));
}
