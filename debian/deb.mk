# deb.mk - Debian packages. Part of the Makefile.

#: Packages
#:   make deb        build Debian packages into @BUILD@/deb/
#:   make deb-test   install, use and purge them; needs root and a machine that does not have them

# The packages are built in a copy of the source tree. The page is packed here first, because the build of a package
# must not download anything.
DEB_COPY := $(BUILD)/deb/trebuchet-$(VERSION)
deb:
	@.ci/deps deb
	$(if $(filter no,$(PAGE)),,$(MAKE) --no-print-directory $(BUILD)/server/assets.c)
	rm -rf $(BUILD)/deb
	mkdir -p $(DEB_COPY)
	tar -c --exclude=./.git --exclude='./build*' --exclude='./$(BUILD)' --exclude='./tables/K*' . | tar -x -C $(DEB_COPY)
	$(if $(filter no,$(PAGE)),,cp $(BUILD)/server/assets.c $(DEB_COPY)/debian/assets.c)
	cd $(DEB_COPY) && env -u MAKEFLAGS -u MAKELEVEL -u CFLAGS -u LDFLAGS \
	  DEB_BUILD_OPTIONS="parallel=$$(nproc) noautodbgsym" \
	  dpkg-buildpackage -b -us -uc $(if $(filter no,$(PAGE)),-Ppkg.trebuchet.nopage)
	@ls -l $(BUILD)/deb/*.deb

deb-test: deb
	tests/cli/deb.sh $(BUILD)/deb

.PHONY: deb deb-test
