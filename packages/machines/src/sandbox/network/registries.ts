/** The hosts of package registries, so that a question can name the registry instead of a host. */
export interface Registry {
	/** As in "allow the npm registry for this project". */
	readonly name: string;
	readonly hosts: readonly string[];
}

const registries: readonly Registry[] = [
	{ name: "npm registry", hosts: ["registry.npmjs.org", "registry.yarnpkg.com"] },
	{ name: "JSR registry", hosts: ["jsr.io", "npm.jsr.io"] },
	{ name: "Deno registry", hosts: ["deno.land"] },
	{ name: "Python Package Index", hosts: ["pypi.org", "files.pythonhosted.org", "pypi.python.org"] },
	{ name: "conda channels", hosts: ["conda.anaconda.org", "repo.anaconda.com"] },
	{ name: "Rust crate registry", hosts: ["crates.io", "index.crates.io", "static.crates.io"] },
	{ name: "Rust toolchain server", hosts: ["static.rust-lang.org"] },
	{ name: "Go module proxy", hosts: ["proxy.golang.org", "sum.golang.org"] },
	{ name: "Ruby gem registry", hosts: ["rubygems.org", "index.rubygems.org"] },
	{ name: "Packagist registry", hosts: ["packagist.org", "repo.packagist.org"] },
	{ name: "Maven repository", hosts: ["repo.maven.apache.org", "repo1.maven.org"] },
	{
		name: "Gradle plugin portal",
		hosts: ["plugins.gradle.org", "services.gradle.org", "downloads.gradle.org"],
	},
	{ name: "NuGet registry", hosts: ["api.nuget.org", "www.nuget.org", "globalcdn.nuget.org"] },
	{ name: "Hex registry", hosts: ["hex.pm", "repo.hex.pm"] },
	{ name: "Dart package registry", hosts: ["pub.dev", "pub.dartlang.org"] },
	{ name: "Swift package registry", hosts: ["swiftpackageindex.com"] },
	{ name: "Hackage registry", hosts: ["hackage.haskell.org"] },
	{ name: "CPAN", hosts: ["www.cpan.org", "cpan.metacpan.org", "fastapi.metacpan.org"] },
	{ name: "CRAN", hosts: ["cran.r-project.org", "cloud.r-project.org"] },
	{ name: "Debian package archive", hosts: ["deb.debian.org", "security.debian.org", "ftp.debian.org"] },
	{
		name: "Ubuntu package archive",
		hosts: ["archive.ubuntu.com", "security.ubuntu.com", "ports.ubuntu.com"],
	},
	{ name: "Alpine package archive", hosts: ["dl-cdn.alpinelinux.org"] },
	{ name: "Fedora package archive", hosts: ["mirrors.fedoraproject.org", "dl.fedoraproject.org"] },
	{ name: "Homebrew", hosts: ["formulae.brew.sh"] },
	{ name: "Node.js downloads", hosts: ["nodejs.org"] },
];

/** The registry that a host belongs to. */
export function registryOf(host: string): Registry | undefined {
	const name = host.toLowerCase().replace(/\.$/, "");
	return registries.find(({ hosts }) => hosts.includes(name));
}
