/** `/machine`: shows the machine that the session works on, and switches to another one. */
import type { InteractiveHost } from "../host.ts";
import { latencyText } from "../machine-status.ts";
import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import type { SlashCommand } from "./command.ts";

export const machine: SlashCommand = {
	name: "machine",
	group: "Tools",
	argumentHint: "[local|host|ssh:host:/path]",
	words: ["local"],
	description: "Show or switch the remote host",
	async run(args, host) {
		const { machine: chosen } = host;
		if (!chosen) throw new Error("This session cannot work on another machine.");
		const wanted = args.trim();
		if (wanted === "") return show(host);
		if (host.isBusy) throw new Error("The model is working. Stop it first, then switch.");
		if (wanted === "local") await chosen.disconnect();
		else {
			host.notify(`Connecting to ${wanted} …`);
			await chosen.connect(
				wanted.startsWith("ssh:") ? wanted : `ssh:${wanted}`,
				new AbortController().signal,
			);
		}
		// The tools of the session are made anew, on that machine.
		await host.move({ to: "reload" });
		host.sessionHost.policy?.refresh();
		const { current } = chosen;
		host.notify(
			current
				? `Working in ${current.cwd} on ${current.name}. Nothing contains commands there: approvals are ${host.sessionHost.policy?.mode ?? "off"}.`
				: "Working on this machine.",
			"success",
		);
	},
};

async function show(host: InteractiveHost): Promise<void> {
	const { machine: chosen } = host;
	const current = chosen?.current;
	const latency = await current?.ping().catch((error: unknown) => host.notify(String(error), "warning"));
	const { hosts, problems } = (await chosen?.hosts()) ?? { hosts: [], problems: [] };
	for (const problem of problems) host.notify(problem, "warning");
	const first = current
		? `${current.address}, ${current.state}${latency === undefined ? "" : `, ${latencyText(latency)} per round trip`}`
		: "this machine";
	host.print(
		report(host.theme, (_width, theme) => [
			`${theme.fg("accent", "machine")}  ${plain(first)}`,
			...hosts.map(({ name, host: at, description, source }) => {
				const words = [at === name ? "" : at, description ?? "", source ?? ""].filter(Boolean).map(plain);
				return `  ${plain(name)}  ${theme.fg("muted", words.join(" · "))}`;
			}),
		]),
	);
}
