/** Settings about the fleet: tasks that workers do, here or on other machines. */
import { count, text } from "../setting.ts";

export const fleet = {
	"fleet.url": text({
		description:
			"Where tasks are kept: redis://host:6379 or rediss://… for workers on several machines. Unset: in a file of this machine, whose workers the daemon runs.",
		default: undefined,
		notForProjects: "it controls which machines work on your tasks",
	}),
	"fleet.slots": count(
		{ least: 1, most: 64 },
		{
			description:
				"How many tasks a worker of this machine works on at once. tau worker --slots takes precedence.",
			default: 2,
			notForProjects: "it controls how much of your machine and your budget is used",
		},
	),
	"fleet.parkMinutes": count(
		{ least: 1, most: 1440 },
		{
			description:
				"After how many minutes without an answer a question gives its slot to the next task; the answer continues the task later.",
			default: 10,
			notForProjects: "it controls your own workers",
		},
	),
	"fleet.image": text({
		description: "The image of the containers that tau worker --runner docker starts.",
		default: "tau:latest",
		notForProjects: "it controls what runs on your machine",
	}),
	"fleet.template": text({
		description:
			"The file of the Job, Sandbox or SandboxClaim that tau worker --runner kubernetes makes for each task, such as deploy/k8s/job.yml.",
		default: undefined,
		notForProjects: "it controls what runs in your cluster",
	}),
	"fleet.gateway": text({
		description:
			"The gateway that gives each task a key of its own with the budget of the task (tau auth-gateway serve): http://gateway:4000. Unset: tasks use the keys of the worker.",
		default: undefined,
		notForProjects: "it controls where your conversations are sent",
	}),
	"fleet.gitToken": text({
		description:
			"A token for the git server of your tasks, which only git of a worker uses: github.com=…. Unset: the credentials that your git has.",
		default: undefined,
		notForProjects: "it is a credential",
		isSecret: true,
	}),
	"fleet.perMinute": count(
		{ least: 0, most: 10_000 },
		{
			description:
				"How many tasks all workers together begin in a minute, for models with a rate limit. 0: as many as there are slots.",
			default: 0,
			notForProjects: "it controls your own workers",
		},
	),
};
