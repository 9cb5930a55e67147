/** `/settings`: every setting, where it comes from, and the way to change it, in a list. */
import type { Origin, Scope } from "@tau/config/settings";
import type { CommandReply } from "@tau/wire";

import { settings as row, settingsReply, type SettingsData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { drawReply, quietReply, runRow } from "../run-row.ts";
import { openSelector } from "../selectors/open.ts";
import { SettingsSelector } from "../selectors/settings/selector.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

export const settings: SlashCommand = {
	...onScreen(row),
	run(args, host) {
		if (host.guest) return showOwn(args, host);
		if (/^(?:get|set|unset)\s/.test(args)) return runRow(row, args, host);
		// The list is searched on the screen.
		return runRow(row, "", host, (reply) => {
			if (reply.data === undefined) return drawReply(reply, host);
			showSettings(host, reply.data as SettingsData, args);
		});
	},
};

/** A guest has settings of its own; those of the session are its host's. */
async function showOwn(args: string, host: InteractiveHost): Promise<void> {
	const reply = await answer(host, args);
	if (reply.data === undefined || /^(?:get|set|unset)\s/.test(args)) return drawReply(reply, host);
	showSettings(host, reply.data as SettingsData, args);
}

function answer(host: InteractiveHost, args: string): CommandReply | Promise<CommandReply> {
	return host.guest ? settingsReply(args, host.settings) : quietReply(row, args, host);
}

function showSettings(host: InteractiveHost, data: SettingsData, search: string): void {
	openSelector(host, (screen, close) => {
		const selector = new SettingsSelector(screen, {
			settings: data.settings,
			explain: async () => ((await answer(host, "explain")).data as SettingsData).settings,
			set: (path, value, scope) => set(host, path, value, scope),
			unset: async (path, scope) => void (await answer(host, `unset ${scope} ${path}`)),
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
	const { data } = await answer(host, `set ${scope} ${path} ${value === "" ? '""' : value}`);
	// The session's process has it now; this one needs what is about the screen.
	if (host.isAttached && scope === "session")
		await host.settings.setUnchecked(path, (data as { value: unknown }).value, scope);
	return (data as { hiddenBy?: Origin }).hiddenBy;
}
