/** Loaded before Tau: on a signal, throws an unexpected error, as an uncaught exception or an unhandled rejection. */
process.on("SIGUSR2", () => {
	throw new Error("a trap");
});
process.on("SIGURG", () => void Promise.reject(new Error("a lost promise")));
