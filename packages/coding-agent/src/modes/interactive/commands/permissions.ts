/** `/permissions`: what the user has allowed for longer than one call, and taking it back. */
import { openSelector } from "../selectors/open.ts";
import { grantsSelector } from "../selectors/grants/selector.ts";
import type { SlashCommand } from "./command.ts";

export const permissions: SlashCommand = {
	name: "permissions",
	group: "Tools",
	description: "List and revoke what you have allowed",
	async run(_, host) {
		const { policy } = host.sessionHost;
		let grants = (await policy?.grants()) ?? [];
		if (!policy || grants.length === 0) return host.notify("No saved approvals.");
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
	},
};
