/** Registries of applications, images, models and extensions: Docker Hub, Homebrew, Hugging Face, editors and systems. */
import { at, firstText, listAt, numberAt, textAt } from "../../json/read.ts";
import { apiSite, partOf } from "./api-site.ts";
import { day, facts, optional, paragraphs, section, SiteFailure, type SiteReader } from "./site.ts";

const dockerHub = apiSite("Docker Hub", {
	hosts: ["hub.docker.com"],
	path: /^\/(?:r\/([^/]+)|_)\/([^/]+)/,
	address: ([owner, name]) => `https://hub.docker.com/v2/repositories/${owner || "library"}/${name}/`,
	view: async (json, io, [owner, name]) => {
		const tags = await io.json(
			`https://hub.docker.com/v2/repositories/${owner || "library"}/${name}/tags?page_size=20`,
		);
		return {
			title: `${textAt(json, "namespace")}/${textAt(json, "name")} (Docker Hub)`,
			text: paragraphs(
				textAt(json, "description"),
				facts(
					["Pulls", numberAt(json, "pull_count")],
					["Stars", numberAt(json, "star_count")],
					["Updated", day(textAt(json, "last_updated"))],
				),
				section(
					"Tags",
					listAt(tags, "results")
						.map(
							(each) =>
								`- ${textAt(each, "name")} (${day(textAt(each, "last_updated"))}, ${numberAt(each, "full_size") ?? 0} bytes)`,
						)
						.join("\n"),
				),
				section("Description", textAt(json, "full_description")),
			),
		};
	},
});

const homebrew = apiSite("Homebrew", {
	hosts: ["formulae.brew.sh"],
	path: /^\/(formula|cask)\/([^/]+)/,
	address: ([kind, name]) => `https://formulae.brew.sh/api/${kind}/${name}.json`,
	view: (json) => ({
		title: `${firstText(json, "full_name", "full_token", "name")} ${firstText(json, "versions.stable", "version")} (Homebrew)`,
		text: paragraphs(
			textAt(json, "desc"),
			facts(
				["Home page", textAt(json, "homepage")],
				["License", textAt(json, "license")],
				["Dependencies", listAt(json, "dependencies").join(", ")],
				[
					"Installs in 30 days",
					Object.values(Object(at(json, "analytics.install.30d")))
						.map(String)
						.join(", "),
				],
				["Deprecated", at(json, "deprecated") === true ? textAt(json, "deprecation_reason") || "yes" : ""],
			),
			textAt(json, "caveats"),
		),
	}),
});

const aur = apiSite("AUR", {
	hosts: ["aur.archlinux.org"],
	path: /^\/packages\/([^/]+)/,
	address: ([name]) => `https://aur.archlinux.org/rpc/v5/info/${name}`,
	view: (json) => ({
		title:
			at(json, "results.0") === undefined
				? ""
				: `${textAt(json, "results.0.Name")} ${textAt(json, "results.0.Version")} (AUR)`,
		text: paragraphs(
			textAt(json, "results.0.Description"),
			facts(
				["Home page", textAt(json, "results.0.URL")],
				["Maintainer", textAt(json, "results.0.Maintainer")],
				["Votes", numberAt(json, "results.0.NumVotes")],
				["Updated", day(numberAt(json, "results.0.LastModified"))],
				["Depends", listAt(json, "results.0.Depends").join(", ")],
				["Out of date since", day(numberAt(json, "results.0.OutOfDate"))],
			),
		),
	}),
});

const flathub = apiSite("Flathub", {
	hosts: ["flathub.org"],
	path: /^\/(?:[a-z]{2}\/)?apps\/(?:details\/)?([^/]+)/,
	address: ([id]) => `https://flathub.org/api/v2/appstream/${id}`,
	view: async (json, io) => ({
		title: `${textAt(json, "name")} (Flathub)`,
		text: paragraphs(
			textAt(json, "summary"),
			facts(
				["Developer", textAt(json, "developer_name")],
				["License", textAt(json, "project_license")],
				["Version", textAt(json, "releases.0.version")],
			),
			await io.markdown(textAt(json, "description")),
		),
	}),
});

const fdroid = apiSite("F-Droid", {
	hosts: ["f-droid.org"],
	path: /^\/(?:[a-z_A-Z]{2,7}\/)?packages\/([^/]+)/,
	address: ([id]) => `https://f-droid.org/api/v1/packages/${id}`,
	view: (json) => ({
		title: `${textAt(json, "packageName")} (F-Droid)`,
		text: paragraphs(
			facts(["Suggested version code", numberAt(json, "suggestedVersionCode")]),
			section(
				"Versions",
				listAt(json, "packages")
					.map((each) => `- ${textAt(each, "versionName")} (${textAt(each, "versionCode")})`)
					.join("\n"),
			),
		),
	}),
});

const snapcraft: SiteReader = {
	name: "Snapcraft",
	hosts: ["snapcraft.io"],
	async read({ parts: [name, more] }, io) {
		if (name === undefined || more !== undefined) return undefined;
		const json = await io.json(
			`https://api.snapcraft.io/v2/snaps/info/${name}?fields=title,summary,description,license,publisher,version,website`,
			{
				headers: { "Snap-Device-Series": "16" },
			},
		);
		const channels = listAt(json, "channel-map").map(
			(each) =>
				`- ${textAt(each, "channel.name")} (${textAt(each, "channel.architecture")}): ${textAt(each, "version")}`,
		);
		return {
			title: `${textAt(json, "snap.title") || name} (Snapcraft)`,
			text: paragraphs(
				textAt(json, "snap.summary"),
				facts(
					["Publisher", textAt(json, "snap.publisher.display-name")],
					["License", textAt(json, "snap.license")],
				),
				textAt(json, "snap.description"),
				section("Channels", channels.join("\n")),
			),
		};
	},
};

const terraform = apiSite("Terraform Registry", {
	hosts: ["registry.terraform.io"],
	path: /^\/(providers|modules)\/([^/]+\/[^/]+(?:\/[^/]+)?)/,
	address: (_groups, { pathname }) => {
		const [, kind = "", ...names] = pathname.split("/");
		return `https://registry.terraform.io/v1/${kind}/${names.slice(0, kind === "modules" ? 3 : 2).join("/")}`;
	},
	view: (json) => ({
		title: `${textAt(json, "namespace")}/${textAt(json, "name")} ${textAt(json, "version")} (Terraform)`,
		text: paragraphs(
			textAt(json, "description"),
			facts(
				["Published", day(textAt(json, "published_at"))],
				["Source", textAt(json, "source")],
				["Downloads", numberAt(json, "downloads")],
			),
			section(
				"Inputs",
				listAt(json, "root.inputs")
					.map(
						(each) => `- ${textAt(each, "name")} (${textAt(each, "type")}): ${textAt(each, "description")}`,
					)
					.join("\n"),
			),
			section(
				"Outputs",
				listAt(json, "root.outputs")
					.map((each) => `- ${textAt(each, "name")}: ${textAt(each, "description")}`)
					.join("\n"),
			),
			section("README", textAt(json, "root.readme")),
		),
	}),
});

const openVsx = apiSite("Open VSX", {
	hosts: ["open-vsx.org"],
	path: /^\/extension\/([^/]+)\/([^/]+)/,
	address: ([publisher, name]) => `https://open-vsx.org/api/${publisher}/${name}`,
	view: async (json, io) => {
		const readme = textAt(json, "files.readme");
		return {
			title: `${firstText(json, "displayName", "name")} ${textAt(json, "version")} (Open VSX)`,
			text: paragraphs(
				textAt(json, "description"),
				facts(
					["Published", day(textAt(json, "timestamp"))],
					["License", textAt(json, "license")],
					["Downloads", numberAt(json, "downloadCount")],
					["Repository", textAt(json, "repository")],
				),
				section("README", readme.startsWith("https://open-vsx.org/") ? await io.text(readme) : ""),
			),
		};
	},
});

const marketplace: SiteReader = {
	name: "VS Code Marketplace",
	hosts: ["marketplace.visualstudio.com"],
	async read({ url }, io) {
		const id = url.searchParams.get("itemName");
		if (id === null || url.pathname !== "/items") return undefined;
		const json = await io.json("https://marketplace.visualstudio.com/_apis/public/gallery/extensionquery", {
			accept: "application/json;api-version=7.2-preview.1",
			// One extension by its name, with versions, statistics and properties.
			body: {
				filters: [{ criteria: [{ filterType: 7, value: id }], pageSize: 1 }],
				flags: 0x1 | 0x10 | 0x100,
			},
		});
		const found = at(json, "results.0.extensions.0");
		if (found === undefined) throw new SiteFailure("no such extension");
		const installs = listAt(found, "statistics").find((each) => textAt(each, "statisticName") === "install");
		return {
			title: `${textAt(found, "displayName")} ${textAt(found, "versions.0.version")} (VS Code Marketplace)`,
			text: paragraphs(
				textAt(found, "shortDescription"),
				facts(
					["Identifier", id],
					["Publisher", textAt(found, "publisher.displayName")],
					["Updated", day(textAt(found, "lastUpdated"))],
					["Installs", numberAt(installs, "value")],
				),
			),
		};
	},
};

const jetbrains = apiSite("JetBrains Marketplace", {
	hosts: ["plugins.jetbrains.com"],
	path: /^\/plugin\/(\d+)/,
	address: ([id]) => `https://plugins.jetbrains.com/api/plugins/${id}`,
	view: async (json, io) => ({
		title: `${textAt(json, "name")} (JetBrains Marketplace)`,
		text: paragraphs(
			textAt(json, "preview"),
			facts(
				["Vendor", textAt(json, "vendor.name")],
				["Downloads", numberAt(json, "downloads")],
				["Source", textAt(json, "urls.sourceCodeUrl")],
			),
			await io.markdown(textAt(json, "description")),
		),
	}),
});

const firefoxAddons = apiSite("Firefox Add-ons", {
	hosts: ["addons.mozilla.org"],
	path: /^\/[\w-]+\/(?:firefox|android)\/addon\/([^/]+)/,
	address: ([slug]) => `https://addons.mozilla.org/api/v5/addons/addon/${slug}/?lang=en-US`,
	view: async (json, io) => ({
		title: `${textAt(json, "name")} ${textAt(json, "current_version.version")} (Firefox Add-ons)`,
		text: paragraphs(
			textAt(json, "summary"),
			facts(
				["Updated", day(textAt(json, "last_updated"))],
				["Users", numberAt(json, "average_daily_users")],
				["License", textAt(json, "current_version.license.name")],
				["Permissions", listAt(json, "current_version.file.permissions").join(", ")],
			),
			await io.markdown(textAt(json, "description")),
		),
	}),
});

const artifactHub = apiSite("Artifact Hub", {
	hosts: ["artifacthub.io"],
	path: /^\/packages\/([^/]+)\/([^/]+)\/([^/]+)/,
	address: ([kind, repo, name]) => `https://artifacthub.io/api/v1/packages/${kind}/${repo}/${name}`,
	view: (json) => ({
		title: `${firstText(json, "display_name", "name")} ${textAt(json, "version")} (Artifact Hub)`,
		text: paragraphs(
			textAt(json, "description"),
			facts(
				["App version", textAt(json, "app_version")],
				["License", textAt(json, "license")],
				["Home page", textAt(json, "home_url")],
			),
			section("Install", textAt(json, "install")),
			section("README", textAt(json, "readme")),
		),
	}),
});

const repology: SiteReader = {
	name: "Repology",
	hosts: ["repology.org"],
	async read({ parts: [kind, name] }, io) {
		if (kind !== "project" || name === undefined) return undefined;
		const json = await io.json(`https://repology.org/api/v1/project/${name}`);
		if (!Array.isArray(json) || json.length === 0) return undefined;
		const rows = json.map(
			(each) => `- ${textAt(each, "repo")}: ${textAt(each, "version")} (${textAt(each, "status")})`,
		);
		return {
			title: `${name} (Repology)`,
			text: paragraphs(textAt(json[0], "summary"), section("Packages", rows.join("\n"))),
		};
	},
};

const huggingFace: SiteReader = {
	name: "Hugging Face",
	hosts: ["huggingface.co"],
	async read({ parts }, io) {
		const kind = parts[0] === "datasets" || parts[0] === "spaces" ? parts[0] : "models";
		const [owner, name, more] = kind === "models" ? parts : parts.slice(1);
		const known = [
			"docs",
			"blog",
			"papers",
			"models",
			"tasks",
			"pricing",
			"join",
			"login",
			"learn",
			"posts",
			"organizations",
		];
		if (owner === undefined || name === undefined || more !== undefined || known.includes(owner))
			return undefined;
		const json = await io.json(`https://huggingface.co/api/${kind}/${owner}/${name}`);
		const where = kind === "models" ? "" : `${kind}/`;
		const card = await optional(
			io.text(`https://huggingface.co/${where}${owner}/${name}/raw/main/README.md`),
			"",
		);
		return {
			title: `${firstText(json, "id", "modelId")} (Hugging Face)`,
			text: paragraphs(
				facts(
					["Task", textAt(json, "pipeline_tag")],
					["Library", textAt(json, "library_name")],
					["License", textAt(json, "cardData.license")],
					["Downloads", numberAt(json, "downloads")],
					["Likes", numberAt(json, "likes")],
					["Updated", day(textAt(json, "lastModified"))],
					["Gated", at(json, "gated") ? "yes" : ""],
				),
				section(
					"Files",
					listAt(json, "siblings")
						.slice(0, 100)
						.map((each) => `- ${textAt(each, "rfilename")}`)
						.join("\n"),
				),
				section("Card", card.replace(/^---\n[\s\S]*?\n---\n/, "")),
			),
		};
	},
};

const ollama = partOf(
	"Ollama",
	["ollama.com", "www.ollama.com"],
	["<main", "</main>"],
	([kind, name]) => kind === "library" && name !== undefined,
);

const chocolatey = partOf(
	"Chocolatey",
	["community.chocolatey.org"],
	["<main", "</main>"],
	([kind, name]) => kind === "packages" && name !== undefined,
);

export const applications: readonly SiteReader[] = [
	dockerHub,
	homebrew,
	aur,
	flathub,
	fdroid,
	snapcraft,
	terraform,
	openVsx,
	marketplace,
	jetbrains,
	firefoxAddons,
	artifactHub,
	repology,
	huggingFace,
	ollama,
	chocolatey,
];
