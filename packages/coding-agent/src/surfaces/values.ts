/** What extensions have set that a client elsewhere draws itself, and what it has to ask for. */
import type { SessionHost } from "@tau/session/host";
import type { ComponentValues } from "@tau/wire";

import { entryKind } from "../modes/interactive/surfaces/index.ts";
import { limits } from "./limits.ts";
import { isOther, type Surfaces } from "./surfaces.ts";

export function valuesOf({ shown, options }: Surfaces): ComponentValues {
	const { title, working, isWorkingHidden, indicator, thinkingLabel } = shown;
	const runner = options.extensions()?.runner;
	const frames = indicator?.frames;
	return {
		...(title === undefined ? {} : { title }),
		statuses: Object.fromEntries(shown.statuses),
		...(working === undefined ? {} : { working }),
		...(isWorkingHidden ? { isWorkingHidden } : {}),
		...(frames ? { indicator: { frames, intervalMs: indicator.intervalMs ?? limits.indicatorMs } } : {}),
		...(thinkingLabel === undefined ? {} : { thinkingLabel }),
		shortcuts: [...new Set(runner?.extensions.flatMap((each) => [...each.shortcuts.keys()]))],
		tools: drawnTools(options.host, runner),
		messages: [...new Set(runner?.extensions.flatMap(drawnMessages))],
	};
}

/** The kinds of messages, and of entries of the log, that an extension draws. */
function drawnMessages({ renderers, entryRenderers }: Runner["extensions"][number]): string[] {
	return [...renderers.keys(), ...[...entryRenderers.keys()].map(entryKind)];
}

type Runner = NonNullable<ReturnType<Surfaces["options"]["extensions"]>>["runner"];

/** The tools that draw themselves, and those that an extension draws which is not Tau's own look. */
function drawnTools({ session }: SessionHost, runner: Runner | undefined): string[] {
	if (!runner) return [];
	const others = runner.extensions.filter(isOther);
	const own = runner.extensions.flatMap(({ tools }) =>
		[...tools].filter(([, tool]) => tool.renderCall ?? tool.renderResult).map(([name]) => name),
	);
	const named = others.flatMap(({ toolRenderers }) =>
		toolRenderers.flatMap(({ names }) =>
			names === "*" ? session.state.tools.map(({ name }) => name) : [...names],
		),
	);
	return [...new Set([...own, ...named])];
}
