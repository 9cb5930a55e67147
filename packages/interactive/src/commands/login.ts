/** `/login`: adds a subscription or a key to the credential store; while the demo is used, every option for a model. */
import { isDemo } from "@tau/bundled";
import { findServers } from "@tau/session-commands/work";
import { leaveDemo, wizard } from "../first-run/wizard.ts";
import { connectOneOf, knownOffers, logIn } from "../selectors/login/connect.ts";
import { openModels } from "../selectors/model/open-models.ts";
import type { SlashCommand } from "./command.ts";

export const login: SlashCommand = {
	name: "login",
	group: "Model",
	argumentHint: "[provider]",
	description: "Log in to a provider or add an API key",
	async run(args, host) {
		if (args === "" && isDemo(host.session.model)) return wizard(host, await findServers(host.registry));
		const known = await knownOffers(host);
		const named = known.find(({ provider }) => provider === args.toLowerCase());
		const provider =
			named?.kind === "login"
				? await logIn(host, named)
				: await connectOneOf(host, known, args === "" ? undefined : args);
		if (provider === undefined) return;
		await leaveDemo(host, provider);
		await openModels(host, provider);
	},
};
