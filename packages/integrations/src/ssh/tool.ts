/** Runs single commands on hosts that the user has configured for ssh. */
import { settingsLimits as limits } from "@tau/config/settings";
import { shellQuote } from "@tau/sys";
import { z } from "zod";

import type { ConfiguredHosts, ConnectionOptions, SshDestination } from "@tau/machines/ssh";
import { defineTool, type ServiceKey } from "@tau/tools/tool";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

const parameters = () =>
	z.object({
		host: z.string().optional(),
		command: z.string().optional(),
		cwd: z.string().optional(),
		timeout: z
			.number()
			.optional()
			.describe(`seconds, default ${limits.bashTimeoutSeconds} or the user's setting`),
	});

export type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Hosts that the user has configured for ssh. */
export interface SshHosts {
	hosts(): Promise<ConfiguredHosts>;
	/** How a host is connected to; questions of ssh go to the user. */
	options(destination: SshDestination): ConnectionOptions;
}

/** Absent where there is no way to reach them. */
export const sshHosts: ServiceKey<SshHosts | undefined> = { name: "ssh hosts", create: () => undefined };

export const ssh = defineTool({
	name: "ssh",
	label: "Run on a host",
	prompt,
	concurrency: "exclusive",
	approval: "exec",
	amends: ["command"],
	searchHint: "",
	schema,
	parameters,
	// Listing the hosts touches nothing.
	touches: ({ host, command, cwd }, context) =>
		host === undefined || command === undefined
			? []
			: [
					{
						kind: "exec",
						command: `ssh ${host} ${shellQuote(cwd === undefined ? command : `cd ${shellQuote(cwd)} && ${command}`)}`,
						cwd: context.cwd,
						machine: host,
					},
				],
	async execute(args, context) {
		const { runOnHost } = await import("./run-on-host.ts");
		return await runOnHost(args, context, context.services.get(sshHosts, context));
	},
	view: {
		call: ({ host, command, cwd }) =>
			host === undefined
				? "ssh hosts"
				: `ssh ${host} $ ${command ?? "…"}${cwd === undefined ? "" : ` (in ${cwd})`}`,
	},
});
