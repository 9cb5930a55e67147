/** `/thinking`, `/scoped-models`, `/context`, `/permissions` and `/tools`: lists in which the user chooses. */
import { levelsOf } from "@tau/ai";

import {
	context as contextRow,
	scopedModels as scopedModelsRow,
	thinking as thinkingRow,
	permissions as permissionsRow,
	switchTool,
	toolRows,
	tools as toolsRow,
} from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { contextSelector } from "../selectors/context/selector.ts";
import { grantsSelector } from "../selectors/grants/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import { scopedModelsSelector, type ScopedModelRow } from "../selectors/scoped-models/selector.ts";
import { toolsSelector } from "../selectors/tools/selector.ts";
import { thinkingSelector } from "../selectors/thinking/selector.ts";
import { runRow } from "../run-row.ts";
import { onScreen } from "./on-screen.ts";

export const thinking = onScreen(thinkingRow, {
	open(args, host) {
		const levels = levelsOf(host.session.model);
		if (args !== "" || levels.length < 2) return false;
		openSelector(host, (screen, close) => ({
			component: thinkingSelector(screen, {
				levels,
				current: host.session.state.thinkingLevel,
				use: (chosen) => host.setThinking(chosen),
				close,
			}),
		}));
		return true;
	},
	pick(data) {
		const { levels = [] } = (data ?? {}) as { levels?: readonly string[] };
		return { title: "Thinking level", choices: levels.map((value) => ({ value, label: value })) };
	},
	// The footer shows the level.
	draw(reply, host) {
		if (reply.level === "warning" && reply.text !== undefined) host.notify(reply.text, "warning");
	},
});

export const scopedModels = onScreen(scopedModelsRow, {
	open(args, host) {
		if (args !== "") return false;
		const run = async (words: string): Promise<void> => runRow(scopedModelsRow, words, host, () => {});
		openSelector(host, (screen, close) => ({
			component: scopedModelsSelector(screen, {
				models: () => scopeRows(host),
				toggle: ({ id, isOn }) => run(`${isOn ? "remove" : "add"} ${id}`),
				save: async () => runRow(scopedModelsRow, "save", host),
				close,
			}),
		}));
		return true;
	},
});

function scopeRows({ models }: InteractiveHost): ScopedModelRow[] {
	const on = new Set(models.scoped().map(({ model }) => model));
	return models
		.available()
		.map((model) => ({ id: `${model.provider}/${model.id}`, name: model.name, isOn: on.has(model) }));
}

export const context = onScreen(contextRow, {
	open(args, host) {
		if (args !== "") return false;
		openSelector(host, (screen, close) => ({
			component: contextSelector(screen, {
				report: () => host.sessionHost.context.report(),
				inspect: (id) => host.sessionHost.context.inspect(id),
				drop: (id) => host.sessionHost.context.drop([id]),
				restore: (id) => host.sessionHost.context.restore([id]),
				close,
			}),
		}));
		return true;
	},
	draw({ text = "" }, host) {
		const [head = "", ...rows] = text.split("\n");
		host.print(report(host.theme, (_, theme) => [theme.bold(head), ...rows]));
	},
});

export const permissions = onScreen(permissionsRow, {
	async open(args, host) {
		const { policy } = host.sessionHost;
		let grants = (await policy?.grants()) ?? [];
		if (args !== "" || !policy || grants.length === 0) return false;
		openSelector(host, (screen, close) => {
			const component = grantsSelector(screen, {
				grants: () => grants,
				now: Date.now,
				async revoke({ id }) {
					await policy.revoke(id);
					grants = await policy.grants();
					component.refresh();
				},
				close,
			});
			return { component };
		});
		return true;
	},
});

export const tools = onScreen(toolsRow, {
	open(args, host) {
		if (args !== "") return false;
		openSelector(host, (screen, close) => ({
			component: toolsSelector(screen, {
				tools: () => toolRows(host.session.tools),
				toggle: ({ name }) => switchTool({ host: host.sessionHost }, name),
				close,
			}),
		}));
		return true;
	},
});
