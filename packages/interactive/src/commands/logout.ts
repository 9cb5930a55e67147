/** `/logout`: forgets the keys and logins of a provider. */
import type { InteractiveHost } from "../host.ts";
import { keptCredentials, type StoredLogin } from "../selectors/login/offers.ts";
import { logoutSelector } from "../selectors/login/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const logout: SlashCommand = {
	name: "logout",
	group: "Model",
	argumentHint: "[provider]",
	description: "Remove stored credentials",
	complete: (prefix, { credentials }) =>
		keptCredentials(credentials.list())
			.filter(({ provider }) => provider.startsWith(prefix))
			.map(({ provider, label }) => ({ value: provider, label: provider, description: label })),
	run(args, host) {
		const storedLogins = keptCredentials(host.credentials.list());
		if (storedLogins.length === 0) return host.notify("No credentials are stored.");
		const named = storedLogins.find(({ provider }) => provider === args.toLowerCase());
		if (named) return forget(host, named);
		openSelector(host, (screen, close) => ({
			component: logoutSelector(screen, {
				logins: () => storedLogins,
				forget: (one) => forget(host, one),
				close,
			}),
		}));
	},
};

function forget(host: InteractiveHost, { provider, label }: StoredLogin): void {
	const count = host.credentials.remove(provider);
	host.notify(
		count === 1 ? `Removed the ${label} credentials.` : `Removed ${count} ${label} credentials.`,
		"success",
	);
}
