/** `/jobs`: the commands that the model left running. */
import { wrapTextWithAnsi } from "@tau/tui";
import { stripControls } from "@tau/utils";
import { jobsService, portsService, type Job } from "@tau/tools/bash";

import type { InteractiveHost } from "../host.ts";
import { jobsSelector, type JobRow } from "../selectors/jobs/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const jobs: SlashCommand = {
	name: "jobs",
	group: "Tools",
	description: "Manage background jobs",
	run(_, host) {
		if (found(host).length === 0) return host.notify(["No background jobs.", ...servers(host)].join("\n"));
		openSelector(host, (screen, close) => {
			const component = jobsSelector(screen, {
				jobs: () => found(host).map((job) => rowOf(job, addressesOf(host, job))),
				now: Date.now,
				show: (job) => show(host, job),
				end: async ({ id }) => {
					const there = host.env.services.peek(jobsService);
					const job = there?.find(id);
					if (there && job) await there.kill(job);
				},
				openTerminal: ({ id }) => void openTerminal(host, id),
				close,
			});
			const listening = host.session.subscribe((event) => {
				if (event.type === "job_update" || event.type === "port_update") component.refresh();
			});
			return { component, owns: listening };
		});
	},
};

/** The newest first. Nothing is made for the sake of looking. */
function found({ env }: InteractiveHost): Job[] {
	return env.services.peek(jobsService)?.list().toReversed() ?? [];
}

/** Servers that the user reaches and that belong to no job. */
function servers({ env }: InteractiveHost): string[] {
	const open = env.services.peek(portsService)?.open ?? [];
	return open.map(({ address, label }) => `Reachable: http://${address} (${stripControls(label)})`);
}

function addressesOf({ env }: InteractiveHost, { run }: Job): string[] {
	const open = env.services.peek(portsService)?.openOf(run) ?? [];
	return open.map(({ address }) => `http://${address}`);
}

function rowOf({ id, label, state, startedAt, endedAt, run }: Job, addresses: readonly string[]): JobRow {
	const tail = (): string => run.summary().text;
	const hasTerminal = state === "running" && run.hasTerminal;
	const ended = endedAt === undefined ? {} : { endedAt };
	return { id, label, state, startedAt, tail, addresses, hasTerminal, ...ended };
}

/** Until the job ends, or the user leaves it. */
async function openTerminal(host: InteractiveHost, id: string): Promise<void> {
	const { terminals } = host.sessionHost.requests;
	const job = found(host).find((each) => each.id === id);
	const terminal = await job?.run.terminal;
	if (!terminals || !terminal || job?.state !== "running") return;
	terminal.resize(terminals.size());
	const view = terminals.show({ ...terminal, isOpenedByUser: true });
	const close = (): void => view[Symbol.dispose]();
	void job.run.ended.then(close, close);
}

function show(host: InteractiveHost, { id, label, tail }: JobRow): void {
	const text = stripControls(tail()).trimEnd();
	host.print(
		report(host.theme, (width, theme) => [
			theme.bold(`Job ${id}: ${stripControls(label, { newline: false, tab: false })}`),
			...wrapTextWithAnsi(text === "" ? "(no output)" : text, width)
				.slice(-limits.diffRows)
				.map((line) => theme.fg("toolOutput", line)),
		]),
	);
}
