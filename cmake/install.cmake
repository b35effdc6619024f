# What `cmake --install` leaves behind, and how find_package(gestik) finds it. The core, the readers
# and what stands on FCL are components, so that a user of the core needs Eigen and nothing else.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gestik)

install(TARGETS gestik EXPORT gestik INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT gestik NAMESPACE gestik:: FILE gestikCore.cmake DESTINATION ${package_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/gestik DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*_for_test.h" EXCLUDE PATTERN "allocations.h" EXCLUDE
  PATTERN "io" EXCLUDE)

if(GESTIK_IO)
  set_target_properties(gestik_io PROPERTIES EXPORT_NAME io)
  install(TARGETS gestik_io EXPORT gestik_io)
  install(EXPORT gestik_io NAMESPACE gestik:: FILE gestikIo.cmake DESTINATION ${package_folder})
  # The other headers of io are what the readers share among themselves.
  install(FILES gestik/io/behaviour_json.h gestik/io/bvh.h gestik/io/gestik_json.h gestik/io/gltf.h gestik/io/obj.h gestik/io/read.h gestik/io/urdf.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gestik/io)
endif()

if(GESTIK_FCL)
  set_target_properties(gestik_fcl PROPERTIES EXPORT_NAME fcl)
  install(TARGETS gestik_fcl EXPORT gestik_fcl)
  install(EXPORT gestik_fcl NAMESPACE gestik:: FILE gestikFcl.cmake DESTINATION ${package_folder})
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gestikConfig.cmake.in
  ${PROJECT_BINARY_DIR}/gestikConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gestikConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gestikConfig.cmake ${PROJECT_BINARY_DIR}/gestikConfigVersion.cmake
  DESTINATION ${package_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
