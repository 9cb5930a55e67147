/** Words that complete a command line and are found at run time: models, sessions, themes, packages, … */
import { providers } from "@tau/ai";
import { findPackages } from "@tau/extensions/packages";
import { isTrusted } from "@tau/extensions/trust";
import { SessionManager } from "@tau/log";
import { findSetting, settingPaths } from "@tau/config/settings";
import { dirs } from "@tau/utils";

import type { Args } from "../../args.ts";
import { loadRegistry } from "../../launch/load-models.ts";
import { openSettings } from "../../launch/load-settings.ts";
import type { Candidate, Source } from "./candidates.ts";

type Read = (args: Args, before: string) => Candidate[] | Promise<Candidate[]>;

const readers: Readonly<Record<Source, Read>> = {
	components: async () =>
		(await import("../setup/components.ts")).components.map(({ id, purpose }) => ({
			word: id,
			about: purpose,
		})),
	machines: async (args) => {
		const { configuredMachines } = await import("@tau/extensions/assembly");
		const cwd = process.cwd();
		const settings = await openSettings(args);
		const trusted = isTrusted(cwd, dirs().agent);
		const { hosts } = await configuredMachines({ cwd, env: process.env, settings, isTrusted: () => trusted });
		return hosts.map(({ name, description }) => ({ word: `ssh:${name}`, about: description }));
	},
	models: async (args) => {
		const registry = await loadRegistry(args, process.env, await openSettings(args), {}, () => {});
		const usable = registry.all().filter((model) => registry.isAvailable(model));
		const shown = usable.length > 0 ? usable : registry.all();
		return shown.map(({ provider, id, name }) => ({ word: `${provider}/${id}`, about: name }));
	},
	packages: () => {
		const cwd = process.cwd();
		const { agent: agentDir, home } = dirs();
		const { packages } = findPackages({ cwd, home, agentDir, isTrusted: isTrusted(cwd, agentDir) });
		return packages.map(({ name }) => ({ word: name }));
	},
	providers: () => providers.map(({ id }) => ({ word: id })),
	running: async () => {
		const { registrations } = await import("@tau/server/local/registrations");
		return registrations()
			.filter(({ kind }) => kind !== "daemon")
			.map(({ sessionId, cwd }) => ({ word: sessionId, about: cwd }));
	},
	sessions: async (args) =>
		(await SessionManager.list(process.cwd(), args.flags.get("session-dir"))).map(
			({ id, name, firstMessage }) => ({ word: id, about: name ?? firstMessage }),
		),
	settings: () => settingPaths.map((path) => ({ word: path })),
	themes: async (args) => {
		const { packagedThemesOf, runThemes } = await import("../../launch/run-themes.ts");
		const { ThemeStore } = await import("@tau/interactive/theme-store");
		const { directory, named } = runThemes(args, await openSettings(args));
		const packaged = await packagedThemesOf(args);
		const store = new ThemeStore({
			mode: "truecolor",
			appearance: "dark",
			name: "auto",
			directory,
			named,
			packaged,
		});
		return store.list().map(({ name }) => ({ word: name }));
	},
	values: async (args, before) => {
		if (before === "theme") return await readers.themes(args, before);
		const setting = findSetting(before)?.setting;
		if (setting?.hint.kind === "toggle") return [{ word: "true" }, { word: "false" }];
		return setting?.hint.kind === "choice" ? setting.hint.choices.map((word) => ({ word })) : [];
	},
};

/** `before` is the word before the one that is typed. */
export async function readSource(source: Source, args: Args, before: string): Promise<Candidate[]> {
	return readers[source](args, before);
}
