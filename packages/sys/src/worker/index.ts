/** Worker processes: tasks on foreign bytes with limits of time, memory and output. */
export { workerCommand, WorkerPool, workerVariable, type TaskOptions, type WorkerProgram } from "./pool.ts";
export { serveTasks, type Tasks } from "./serve.ts";
export { WorkerStopped, type TaskLimits } from "./worker-process.ts";
