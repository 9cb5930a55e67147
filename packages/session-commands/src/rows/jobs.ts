/** `/jobs`: the commands that the model left running. */
import { UserError } from "@tau/session/run";
import { jobsService, portsService, type Job } from "@tau/tools/bash";
import { elapsed, stripControls } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { limits } from "../limits.ts";
import { plain, reply, valueItems, type CommandTarget, type SessionCommand } from "../command.ts";

const verbs = [
	{ value: "show", description: "Its output" },
	{ value: "end", description: "End it" },
];

export const jobs: SessionCommand = {
	name: "jobs",
	group: "Tools",
	argumentHint: "[show|end <id> | background]",
	words: ["background"],
	description: "Manage background jobs",
	right: "control",
	shows: ["", "show"],
	complete(prefix, target) {
		const [, verb] = /^(show|end)\s/.exec(prefix) ?? [];
		if (verb === undefined) return valueItems(verbs, prefix, undefined);
		const named = jobsOf(target).map(({ id, label }) => ({
			value: `${verb} ${id}`,
			description: plain(label),
		}));
		return valueItems(named, prefix, undefined);
	},
	run(args, target) {
		const [verb = "", id = ""] = args.trim().split(/\s+/);
		if (verb === "") return listed(target);
		if (verb === "background" && id === "") return background(target);
		if (!verbs.some(({ value }) => value === verb) || id === "")
			throw new UserError("Usage: /jobs [show|end <id> | background]");
		const service = target.env().services.peek(jobsService);
		const job = service?.find(id);
		if (!service || !job) throw new UserError(`There is no job ${id}.`);
		if (verb === "show") {
			const output = outputOf(job);
			return { ...reply(output === "" ? "(no output)" : output), data: { ...factsOf(target, job), output } };
		}
		return service.kill(job).then(() => ({
			...reply(`Ended job ${id}.`, "success"),
			data: factsOf(target, job),
		}));
	},
};

/** What Ctrl+B does in the terminal. */
function background({ host }: CommandTarget): CommandReply {
	const moved = host.work.jobs.background();
	if (moved.length === 0)
		return reply("No command is running that could continue in the background.", "warning");
	return {
		...reply(`Continuing in the background as job ${moved.join(", ")}.`, "success"),
		data: { jobs: moved },
	};
}

/** A background job as replies list it. */
export interface JobFacts {
	id: string;
	label: string;
	state: "running" | "done" | "failed" | "killed";
	startedAt: number;
	endedAt?: number;
	/** Where the user reaches its servers: `http://127.0.0.1:3000`. */
	addresses: readonly string[];
	/** The end of what it printed; `/jobs show` has all of it. */
	tail: string;
	/** It has a terminal that a user can type into where the session runs. */
	hasTerminal: boolean;
}

export interface JobsData {
	jobs: readonly JobFacts[];
	servers: readonly { port: number; address: string; label: string }[];
}

function outputOf({ run }: Job): string {
	return stripControls(run.summary().text).trimEnd();
}

/** The newest first. Nothing is made for the sake of looking. */
export function jobsOf(target: Pick<CommandTarget, "env">): Job[] {
	return target.env().services.peek(jobsService)?.list().toReversed() ?? [];
}

/** Where the user reaches the servers of a job. */
function addressesOf(target: Pick<CommandTarget, "env">, { run }: Job): string[] {
	const open = target.env().services.peek(portsService)?.openOf(run) ?? [];
	return open.map(({ address }) => `http://${address}`);
}

function listed(target: CommandTarget): CommandReply {
	const all = jobsOf(target);
	const servers = target.env().services.peek(portsService)?.open ?? [];
	const rows = all.map((job) => {
		const { id, state, label, startedAt, endedAt } = job;
		const age = elapsed((endedAt ?? Date.now()) - startedAt);
		return [`${id}  ${state} ${age}  ${plain(label)}`, ...addressesOf(target, job)].join("  ");
	});
	const reachable = servers.map(
		({ address, label }) => `Reachable: http://${address} (${stripControls(label)})`,
	);
	const lines = all.length === 0 ? ["No background jobs.", ...reachable] : rows;
	const data: JobsData = {
		jobs: all.map((job) => factsOf(target, job)),
		servers: servers.map(({ port, address, label }) => ({ port, address, label })),
	};
	return { ...reply(lines.join("\n")), data };
}

function factsOf(target: CommandTarget, job: Job): JobFacts {
	const { id, label, state, startedAt, endedAt } = job;
	return {
		id,
		label,
		state,
		startedAt,
		...(endedAt === undefined ? {} : { endedAt }),
		addresses: addressesOf(target, job),
		tail: outputOf(job).split("\n").slice(-limits.tailLines).join("\n"),
		hasTerminal: state === "running" && job.run.hasTerminal,
	};
}
