/** `/thinking`, `/scoped-models`, `/context`, `/permissions` and `/tools`: lists in which the user chooses. */
import type { ThinkingLevel } from "@tau/ai";
import {
	context as contextRow,
	permissions as permissionsRow,
	scopedModels as scopedModelsRow,
	thinking as thinkingRow,
	tools as toolsRow,
	type ContextData,
	type GrantsData,
	type ScopedModelsData,
	type ThinkingData,
	type ToolsData,
} from "@tau/session-commands/rows";

import { drawReply, quietReply } from "../run-row.ts";
import { contextSelector } from "../selectors/context/selector.ts";
import { grantsSelector } from "../selectors/grants/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import { scopedModelsSelector } from "../selectors/scoped-models/selector.ts";
import { toolsSelector } from "../selectors/tools/selector.ts";
import { thinkingSelector } from "../selectors/thinking/selector.ts";
import { openRows } from "../command-rows.ts";
import { onScreen } from "./on-screen.ts";

export const thinking = onScreen(thinkingRow, (reply, host, args) => {
	const { levels = [], level = "off" } = (reply.data ?? {}) as Partial<ThinkingData>;
	// The footer shows the level.
	if (args !== "" || levels.length < 2) {
		if (reply.level === "warning" && reply.text !== undefined) host.notify(reply.text, "warning");
		return;
	}
	openSelector(host, (screen, close) => ({
		component: thinkingSelector(screen, {
			levels,
			current: level,
			use: (chosen: ThinkingLevel) => host.setThinking(chosen),
			close,
		}),
	}));
});

export const scopedModels = onScreen(scopedModelsRow, (reply, host, args) => {
	if (args !== "") return drawReply(reply, host);
	openRows<ScopedModelsData>(host, { row: scopedModelsRow, reply }, (rows, screen, close) =>
		scopedModelsSelector(screen, {
			models: () => rows.data.offered,
			toggle: async ({ id, isOn }) => void (await rows.run(`${isOn ? "remove" : "add"} ${id}`)),
			save: async () => drawReply(await rows.run("save"), host),
			close,
		}),
	);
});

export const context = onScreen(contextRow, (reply, host, args) => {
	const data = reply.data as ContextData | undefined;
	if (args !== "" || !data) {
		const [head = "", ...lines] = (reply.text ?? "").split("\n");
		return host.print(report(host.theme, (_, theme) => [theme.bold(head), ...lines]));
	}
	const changed = async (words: string): Promise<ContextData> =>
		(await quietReply(contextRow, words, host)).data as ContextData;
	openSelector(host, (screen, close) => ({
		component: contextSelector(screen, {
			report: data,
			inspect: (id) => {
				const shown = quietReply(contextRow, `show ${id}`, host);
				return shown instanceof Promise ? shown.then(({ text = "" }) => text) : (shown.text ?? "");
			},
			drop: (id) => changed(`drop ${id}`),
			restore: (id) => changed(`restore ${id}`),
			close,
		}),
	}));
});

export const permissions = onScreen(permissionsRow, (reply, host, args) => {
	const { grants = [] } = (reply.data ?? {}) as Partial<GrantsData>;
	if (args !== "" || grants.length === 0) return drawReply(reply, host);
	openRows<GrantsData>(host, { row: permissionsRow, reply }, (rows, screen, close) =>
		grantsSelector(screen, {
			grants: () => rows.data.grants,
			now: Date.now,
			revoke: async ({ id }) => void (await rows.run(`revoke ${id}`)),
			close,
		}),
	);
});

export const tools = onScreen(toolsRow, (reply, host, args) => {
	if (args !== "") return drawReply(reply, host);
	openRows<ToolsData>(host, { row: toolsRow, reply, changesWith: ["tools_changed"] }, (rows, screen, close) =>
		toolsSelector(screen, {
			tools: () => rows.data.tools,
			toggle: async ({ name, isOn }) => void (await rows.run(`${isOn ? "off" : "on"} ${name}`)),
			close,
		}),
	);
});
