/** Loaded before Tau: on a signal, something fails that nobody expected, in the open or in the background. */
process.on("SIGUSR2", () => {
	throw new Error("a trap");
});
process.on("SIGURG", () => void Promise.reject(new Error("a lost promise")));
