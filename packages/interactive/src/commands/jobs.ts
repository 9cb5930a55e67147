/** `/jobs`: the commands that the model left running, in a list. */
import { jobsService, type Job } from "@tau/tools/bash";
import { wrapTextWithAnsi } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { addressesOf, jobs as row, jobsOf } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { jobsSelector, type JobRow } from "../selectors/jobs/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { limits } from "../selectors/limits.ts";
import { openSelector } from "../selectors/open.ts";
import { onScreen } from "./on-screen.ts";

export const jobs = onScreen(row, {
	open(args, host) {
		if (args !== "" || found(host).length === 0) return false;
		openSelector(host, (screen, close) => {
			const component = jobsSelector(screen, {
				jobs: () => found(host).map((job) => rowOf(job, addressesOf(ofScreen(host), job))),
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
		return true;
	},
});

function found(host: InteractiveHost): Job[] {
	return jobsOf(ofScreen(host));
}

function ofScreen(host: InteractiveHost): Parameters<typeof jobsOf>[0] {
	return { env: () => host.env };
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
