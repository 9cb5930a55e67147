/** The background jobs, as extensions see them: omp's names for ours. */
import { jobsService, type Job, type JobState } from "@tau/tools/bash";
import type { ToolEnv } from "@tau/tools/tool";

interface JobSnapshotItem {
	id: string;
	type: "bash";
	status: "running" | "completed" | "failed" | "cancelled";
	label: string;
	startTime: number;
	endTime?: number;
}

export interface AsyncJobSnapshot {
	running: JobSnapshotItem[];
	recent: JobSnapshotItem[];
	/** Finished jobs that have not been reported to the model yet. */
	delivery: { queued: number; delivering: boolean; pendingJobIds: string[] };
}

const statuses: Readonly<Record<JobState, JobSnapshotItem["status"]>> = {
	running: "running",
	done: "completed",
	failed: "failed",
	killed: "cancelled",
};

/** Null if none was ever started. */
export function jobSnapshot({ services }: ToolEnv): AsyncJobSnapshot | null {
	const jobs = services.peek(jobsService)?.list();
	if (!jobs) return null;
	const ended = jobs.filter(({ state }) => state !== "running");
	const pendingJobIds = ended.filter(({ reported }) => !reported).map(({ id }) => id);
	return {
		running: jobs.filter(({ state }) => state === "running").map(itemOf),
		recent: ended.map(itemOf),
		delivery: { queued: pendingJobIds.length, delivering: false, pendingJobIds },
	};
}

function itemOf({ id, state, label, startedAt, endedAt }: Job): JobSnapshotItem {
	return {
		id,
		type: "bash",
		status: statuses[state],
		label,
		startTime: startedAt,
		...(endedAt === undefined ? {} : { endTime: endedAt }),
	};
}
