/** `/settings`: every setting, where it comes from, and the way to change it, in a list. */
import type { Origin, Scope } from "@tau/config/settings";

import { settings as row, type SettingsData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { drawReply, quietReply, runRow } from "../run-row.ts";
import { openSelector } from "../selectors/open.ts";
import { SettingsSelector } from "../selectors/settings/selector.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

export const settings: SlashCommand = {
	...onScreen(row),
	run(args, host) {
		if (/^(?:get|set|unset)\s/.test(args)) return runRow(row, args, host);
		// The list is searched on the screen.
		return runRow(row, "", host, (reply) => {
			if (reply.data === undefined) return drawReply(reply, host);
			showSettings(host, reply.data as SettingsData, args);
		});
	},
};

function showSettings(host: InteractiveHost, data: SettingsData, search: string): void {
	openSelector(host, (screen, close) => {
		const selector = new SettingsSelector(screen, {
			settings: data.settings,
			explain: async () => ((await quietReply(row, "explain", host)).data as SettingsData).settings,
			set: (path, value, scope) => set(host, path, value, scope),
			unset: async (path, scope) => void (await quietReply(row, `unset ${scope} ${path}`, host)),
			onChange: (listener) =>
				host.client.subscribe(({ type }) => {
					if (type === "setting_changed") listener();
				}),
			...(search === "" ? {} : { search }),
			known: (path) => (path === "theme" ? host.theme.list().map(({ name }) => name) : []),
			close,
		});
		return { component: selector.component, owns: selector };
	});
}

async function set(
	host: InteractiveHost,
	path: string,
	value: string,
	scope: Scope,
): Promise<Origin | undefined> {
	const { data } = await quietReply(row, `set ${scope} ${path} ${value === "" ? '""' : value}`, host);
	// The session's process has it now; this one needs what is about the screen.
	if (host.isAttached && scope === "session")
		await host.settings.setUnchecked(path, (data as { value: unknown }).value, scope);
	return (data as { hiddenBy?: Origin }).hiddenBy;
}
