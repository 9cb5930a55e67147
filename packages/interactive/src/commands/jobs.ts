/** `/jobs`: the commands that the model left running, in a list. */
import { wrapTextWithAnsi } from "@tau/tui";
import { stripControls } from "@tau/utils";

import { jobs as row, jobsOf, type JobFacts, type JobsData } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { drawReply, quietReply } from "../run-row.ts";
import { jobsSelector } from "../selectors/jobs/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { limits } from "../selectors/limits.ts";
import { openRows } from "../command-rows.ts";
import { onScreen } from "./on-screen.ts";

export const jobs = onScreen(row, (reply, host, args) => {
	const data = reply.data as JobsData | JobFacts;
	if (args !== "" || !("jobs" in data) || data.jobs.length === 0) return drawReply(reply, host);
	openRows<JobsData>(
		host,
		{ row, reply, changesWith: ["job_update", "port_update"], everyMs: limits.outputMs },
		(rows, screen, close) =>
			jobsSelector(screen, {
				jobs: () =>
					rows.data.jobs.map((job) => ({ ...job, hasTerminal: job.hasTerminal && !host.isAttached })),
				now: Date.now,
				show: (job) => show(host, job),
				end: async ({ id }) => void (await rows.run(`end ${id}`)),
				openTerminal: ({ id }) => void openTerminal(host, id),
				close,
			}),
	);
});

/** Until the job ends, or the user leaves it. */
async function openTerminal(host: InteractiveHost, id: string): Promise<void> {
	const { terminals } = host.sessionHost.requests;
	const job = jobsOf({ env: () => host.env }).find((each) => each.id === id);
	const terminal = await job?.run.terminal;
	if (!terminals || !terminal || job?.state !== "running") return;
	terminal.resize(terminals.size());
	const view = terminals.show({ ...terminal, isOpenedByUser: true });
	const close = (): void => view[Symbol.dispose]();
	void job.run.ended.then(close, close);
}

async function show(host: InteractiveHost, { id, label }: JobFacts): Promise<void> {
	const { text = "" } = await quietReply(row, `show ${id}`, host);
	host.print(
		report(host.theme, (width, theme) => [
			theme.bold(`Job ${id}: ${stripControls(label, { newline: false, tab: false })}`),
			...wrapTextWithAnsi(text, width)
				.slice(-limits.diffRows)
				.map((line) => theme.fg("toolOutput", line)),
		]),
	);
}
