/** Registries of packages for programs: npm, PyPI, crates.io and their kin. */
import { at, firstText, listAt, numberAt, textAt } from "../../json/read.ts";
import { apiSite, licenseAt, partOf, plainAddress } from "./api-site.ts";
import { day, decoded, facts, optional, paragraphs, section, type SiteIo, type SiteReader } from "./site.ts";

/** The keys and values of an object as a list. */
function table(json: unknown, path: string): string {
	const value = at(json, path);
	const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
	return entries
		.map(([name, each]) => `- ${name}: ${typeof each === "string" ? each : JSON.stringify(each)}`)
		.join("\n");
}

const npm: SiteReader = {
	name: "npm",
	hosts: ["www.npmjs.com", "npmjs.com"],
	async read({ parts: [kind, ...rest] }, io) {
		if (kind !== "package" || rest[0] === undefined) return undefined;
		const [scope = "", name = "", ...more] = rest.map(decoded);
		const isScoped = scope.startsWith("@");
		const id = isScoped ? `${scope}/${name}` : scope;
		const path = id.replace("/", "%2f");
		const version = (isScoped ? more : [name, ...more]).join("/").replace(/^v\//, "") || "latest";
		const [json, whole, downloads] = await Promise.all([
			io.json(`https://registry.npmjs.org/${path}/${encodeURIComponent(version)}`),
			// Years of versions may exceed the limit: then there is no README.
			optional(io.json(`https://registry.npmjs.org/${path}`), undefined),
			optional(io.json(`https://api.npmjs.org/downloads/point/last-week/${path}`), undefined),
		]);
		return {
			title: `${textAt(json, "name")} ${textAt(json, "version")} (npm)`,
			text: paragraphs(
				textAt(json, "description"),
				facts(
					["Latest", textAt(whole, "dist-tags.latest")],
					[
						"Published",
						day(textAt(at(whole, "time"), textAt(json, "version")) || timeOf(whole, textAt(json, "version"))),
					],
					["License", licenseAt(json, "license")],
					["Repository", plainAddress(firstText(json, "repository.url", "repository"))],
					["Home page", textAt(json, "homepage")],
					["Weekly downloads", numberAt(downloads, "downloads")],
					[
						"Engines",
						Object.entries(Object(at(json, "engines")))
							.map((each) => each.join(" "))
							.join(", "),
					],
					["Deprecated", textAt(json, "deprecated")],
				),
				section("Dependencies", table(json, "dependencies")),
				section("Peer dependencies", table(json, "peerDependencies")),
				section("README", firstText(whole, "readme") || textAt(json, "readme")),
			),
		};
	},
};

/** A version has dots, which are no steps of a path. */
function timeOf(whole: unknown, version: string): string {
	const times = at(whole, "time");
	const time = typeof times === "object" && times !== null ? Reflect.get(times, version) : undefined;
	return typeof time === "string" ? time : "";
}

const pypi = apiSite("PyPI", {
	hosts: ["pypi.org", "www.pypi.org"],
	path: /^\/project\/([^/]+)(?:\/([^/]+))?\/?$/,
	address: ([name, version]) => `https://pypi.org/pypi/${name}/${version ? `${version}/` : ""}json`,
	view: (json) => ({
		title: `${textAt(json, "info.name")} ${textAt(json, "info.version")} (PyPI)`,
		text: paragraphs(
			textAt(json, "info.summary"),
			facts(
				["Published", day(textAt(json, "urls.0.upload_time_iso_8601"))],
				["License", firstText(json, "info.license_expression", "info.license").split("\n", 1)[0]],
				["Requires Python", textAt(json, "info.requires_python")],
				["Author", firstText(json, "info.author", "info.author_email")],
				["Yanked", at(json, "info.yanked") === true ? textAt(json, "info.yanked_reason") || "yes" : ""],
			),
			section("Links", table(json, "info.project_urls")),
			section(
				"Dependencies",
				listAt(json, "info.requires_dist")
					.map((each) => `- ${String(each)}`)
					.join("\n"),
			),
			section("Description", textAt(json, "info.description")),
		),
	}),
});

const crates: SiteReader = {
	name: "crates.io",
	hosts: ["crates.io", "www.crates.io"],
	async read({ parts: [kind, name, wanted] }, io) {
		if (kind !== "crates" || name === undefined) return undefined;
		const json = await io.json(`https://crates.io/api/v1/crates/${name}`);
		const version = wanted ?? firstText(json, "crate.max_stable_version", "crate.newest_version");
		const [readme, needed] = await Promise.all([
			optional(
				io.text(`https://crates.io/api/v1/crates/${name}/${version}/readme`, { accept: "text/html" }),
				"",
			),
			optional(io.json(`https://crates.io/api/v1/crates/${name}/${version}/dependencies`), undefined),
		]);
		const release = listAt(json, "versions").find((each) => textAt(each, "num") === version);
		const dependencies = listAt(needed, "dependencies")
			.filter((each) => textAt(each, "kind") === "normal")
			.map(
				(each) =>
					`- ${textAt(each, "crate_id")} ${textAt(each, "req")}${at(each, "optional") === true ? " (optional)" : ""}`,
			);
		return {
			title: `${textAt(json, "crate.name")} ${version} (crates.io)`,
			text: paragraphs(
				textAt(json, "crate.description"),
				facts(
					["Published", day(textAt(release, "created_at"))],
					["License", textAt(release, "license")],
					["Rust", textAt(release, "rust_version")],
					["Downloads", numberAt(json, "crate.downloads")],
					["Repository", textAt(json, "crate.repository")],
					["Documentation", textAt(json, "crate.documentation") || `https://docs.rs/${name}`],
					["Features", Object.keys(Object(at(release, "features"))).join(", ")],
				),
				section("Dependencies", dependencies.join("\n")),
				section("README", readme === "" ? "" : await io.markdown(readme)),
			),
		};
	},
};

const docsRs = partOf(
	"docs.rs",
	["docs.rs"],
	['<section id="main-content"', "</main>"],
	([first]) => first !== undefined && !["about", "releases", "-"].includes(first),
);

const goPackages = partOf(
	"pkg.go.dev",
	["pkg.go.dev"],
	["<main", "</main>"],
	([first]) => first !== undefined && !["about", "search", "license-policy"].includes(first),
);

const rubygems = apiSite("RubyGems", {
	hosts: ["rubygems.org"],
	path: /^\/gems\/([^/]+)(?:\/versions\/([^/]+))?\/?$/,
	address: ([name, version]) =>
		version
			? `https://rubygems.org/api/v2/rubygems/${name}/versions/${version}.json`
			: `https://rubygems.org/api/v1/gems/${name}.json`,
	view: (json) => ({
		title: `${textAt(json, "name")} ${firstText(json, "version", "number")} (RubyGems)`,
		text: paragraphs(
			firstText(json, "info", "description"),
			facts(
				["Published", day(firstText(json, "version_created_at", "built_at"))],
				["License", listAt(json, "licenses").join(", ")],
				["Downloads", numberAt(json, "downloads")],
				["Source", firstText(json, "source_code_uri", "homepage_uri")],
				["Documentation", textAt(json, "documentation_uri")],
			),
			section(
				"Dependencies",
				listAt(json, "dependencies.runtime")
					.map((each) => `- ${textAt(each, "name")} ${textAt(each, "requirements")}`)
					.join("\n"),
			),
		),
	}),
});

const packagist = apiSite("Packagist", {
	hosts: ["packagist.org"],
	path: /^\/packages\/([^/]+)\/([^/]+)\/?$/,
	address: ([vendor, name]) => `https://packagist.org/packages/${vendor}/${name}.json`,
	view: (json) => {
		const versions = Object.values(Object(at(json, "package.versions")));
		const latest = versions.find((each) => !/dev/.test(textAt(each, "version"))) ?? versions[0];
		return {
			title: `${textAt(json, "package.name")} ${textAt(latest, "version")} (Packagist)`,
			text: paragraphs(
				textAt(json, "package.description"),
				facts(
					["Published", day(textAt(latest, "time"))],
					["License", listAt(latest, "license").join(", ")],
					["Downloads", numberAt(json, "package.downloads.total")],
					["Repository", textAt(json, "package.repository")],
					["Abandoned", at(json, "package.abandoned") ? "yes" : ""],
				),
				section("Requires", table(latest, "require")),
			),
		};
	},
});

const nuget: SiteReader = {
	name: "NuGet",
	hosts: ["www.nuget.org", "nuget.org"],
	async read({ parts: [kind, name, version] }, io) {
		if (kind !== "packages" || name === undefined) return undefined;
		const id = name.toLowerCase();
		const index = await io.json(`https://api.nuget.org/v3/registration5-semver1/${id}/index.json`);
		const last = listAt(index, "items").at(-1);
		const more = textAt(last, "@id");
		const leaves =
			listAt(last, "items").length === 0 && more.startsWith("https://api.nuget.org/")
				? listAt(await io.json(more), "items")
				: listAt(last, "items");
		const wanted = leaves.find((each) => textAt(each, "catalogEntry.version") === version);
		const entry = wanted ?? leaves.at(-1);
		if (entry === undefined) return undefined;
		const groups = listAt(entry, "catalogEntry.dependencyGroups").flatMap((group) => [
			`- ${textAt(group, "targetFramework") || "any"}`,
			...listAt(group, "dependencies").map((each) => `  - ${textAt(each, "id")} ${textAt(each, "range")}`),
		]);
		return {
			title: `${textAt(entry, "catalogEntry.id")} ${textAt(entry, "catalogEntry.version")} (NuGet)`,
			text: paragraphs(
				textAt(entry, "catalogEntry.description"),
				facts(
					["Published", day(textAt(entry, "catalogEntry.published"))],
					["License", firstText(entry, "catalogEntry.licenseExpression", "catalogEntry.licenseUrl")],
					["Project", textAt(entry, "catalogEntry.projectUrl")],
				),
				section("Dependencies", groups.join("\n")),
			),
		};
	},
};

const hex = apiSite("Hex", {
	hosts: ["hex.pm"],
	path: /^\/packages\/([^/]+)/,
	address: ([name]) => `https://hex.pm/api/packages/${name}`,
	view: (json) => ({
		title: `${textAt(json, "name")} ${firstText(json, "latest_stable_version", "latest_version")} (Hex)`,
		text: paragraphs(
			textAt(json, "meta.description"),
			facts(
				["Updated", day(textAt(json, "updated_at"))],
				["License", listAt(json, "meta.licenses").join(", ")],
				["Documentation", textAt(json, "docs_html_url")],
				["Downloads", numberAt(json, "downloads.all")],
			),
			section("Links", table(json, "meta.links")),
		),
	}),
});

const pubDev = apiSite("pub.dev", {
	hosts: ["pub.dev"],
	path: /^\/packages\/([^/]+)/,
	address: ([name]) => `https://pub.dev/api/packages/${name}`,
	view: (json) => ({
		title: `${textAt(json, "name")} ${textAt(json, "latest.version")} (pub.dev)`,
		text: paragraphs(
			textAt(json, "latest.pubspec.description"),
			facts(
				["Published", day(textAt(json, "latest.published"))],
				["Repository", firstText(json, "latest.pubspec.repository", "latest.pubspec.homepage")],
				["SDK", textAt(json, "latest.pubspec.environment.sdk")],
			),
			section("Dependencies", table(json, "latest.pubspec.dependencies")),
		),
	}),
});

const hackage: SiteReader = {
	name: "Hackage",
	hosts: ["hackage.haskell.org"],
	async read({ parts: [kind, name] }, io: SiteIo) {
		if (kind !== "package" || name === undefined) return undefined;
		const bare = name.replace(/-\d[\d.]*$/, "");
		const cabal = await io.text(`https://hackage.haskell.org/package/${name}/${bare}.cabal`);
		const readme = await optional(io.text(`https://hackage.haskell.org/package/${name}/readme.txt`), "");
		return {
			title: `${name} (Hackage)`,
			text: paragraphs(`\`\`\`cabal\n${cabal.trim()}\n\`\`\``, section("README", readme)),
		};
	},
};

const metacpan = apiSite("MetaCPAN", {
	hosts: ["metacpan.org"],
	path: /^\/(?:dist|release)\/([^/]+)/,
	address: ([name]) => `https://fastapi.metacpan.org/v1/release/${name}`,
	view: (json) => ({
		title: `${textAt(json, "distribution")} ${textAt(json, "version")} (MetaCPAN)`,
		text: paragraphs(
			textAt(json, "abstract"),
			facts(
				["Published", day(textAt(json, "date"))],
				["Author", textAt(json, "author")],
				["License", listAt(json, "license").join(", ")],
				["Repository", textAt(json, "resources.repository.url")],
			),
			section(
				"Dependencies",
				listAt(json, "dependency")
					.filter((each) => textAt(each, "phase") === "runtime")
					.map((each) => `- ${textAt(each, "module")} ${textAt(each, "version")}`)
					.join("\n"),
			),
		),
	}),
});

const maven = apiSite("Maven Central", {
	hosts: ["central.sonatype.com", "search.maven.org", "mvnrepository.com"],
	path: /^\/artifact\/([^/]+)\/([^/]+)/,
	address: ([group, name]) =>
		`https://search.maven.org/solrsearch/select?q=g:%22${group}%22+AND+a:%22${name}%22&core=gav&rows=20&wt=json`,
	view: (json, _io, [group = "", name = ""]) => {
		const versions = listAt(json, "response.docs");
		const latest = textAt(versions[0], "v");
		return {
			title: latest === "" ? "" : `${decoded(group)}:${decoded(name)} ${latest} (Maven Central)`,
			text: section(
				"Versions",
				versions
					.map((each) => `- ${textAt(each, "v")} (${day((numberAt(each, "timestamp") ?? 0) / 1000)})`)
					.join("\n"),
			),
		};
	},
});

const clojars = apiSite("Clojars", {
	hosts: ["clojars.org"],
	path: /^\/([^/]+(?:\/[^/]+)?)\/?$/,
	address: (_groups, { pathname }) => `https://clojars.org/api/artifacts${pathname.replace(/\/$/, "")}`,
	view: (json) => ({
		title: `${textAt(json, "group_name")}/${textAt(json, "jar_name")} ${textAt(json, "latest_version")} (Clojars)`,
		text: paragraphs(
			textAt(json, "description"),
			facts(["Home page", textAt(json, "homepage")], ["Downloads", numberAt(json, "downloads")]),
			section(
				"Versions",
				listAt(json, "recent_versions")
					.map((each) => `- ${textAt(each, "version")}`)
					.join("\n"),
			),
		),
	}),
});

export const registries: readonly SiteReader[] = [
	npm,
	pypi,
	crates,
	docsRs,
	goPackages,
	rubygems,
	packagist,
	nuget,
	hex,
	pubDev,
	hackage,
	metacpan,
	maven,
	clojars,
];
